package send_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/go-bizppurio/sdk/send"
)

func orderTemplate() send.Template {
	return send.Template{
		SenderKey: "key", Code: "ORDER01",
		Text: "#{이름}님, 주문 #{번호}이 접수되었습니다.", Title: "#{번호}", Header: "주문",
		Buttons:      []send.Button{{Name: "보기", Type: "WL", URLMobile: "https://example.com/o/#{번호}?u=#{사용자}"}},
		QuickReplies: []send.Button{{Name: "문의", Type: "BC", ChatExtra: "#{번호}"}},
		Items: &send.ItemList{
			List:    []send.Item{{Title: "상품", Description: "#{상품}"}, {Title: "수량", Description: "#{수량}"}},
			Summary: &send.Item{Title: "합계", Description: "#{금액}원"},
		},
		Highlight: &send.Highlight{Title: "#{상품}", Description: "감사합니다"},
		Link:      &send.Link{URLMobile: "https://example.com/#{사용자}"},
	}
}

func orderVars() map[string]string {
	return map[string]string{
		"이름": "홍길동", "번호": "A-1", "사용자": "u1", "상품": "연필", "수량": "2", "금액": "2,000",
	}
}

func TestTemplate_Render(t *testing.T) {
	t.Parallel()
	tpl := orderTemplate()
	got, err := tpl.Render(orderVars())
	if err != nil {
		t.Fatalf("Render() = %v, want nil", err)
	}
	want := send.AlimTalk{
		SenderKey: "key", TemplateCode: "ORDER01", Text: "홍길동님, 주문 A-1이 접수되었습니다.", Title: "A-1", Header: "주문",
		Buttons:      []send.Button{{Name: "보기", Type: "WL", URLMobile: "https://example.com/o/A-1?u=u1"}},
		QuickReplies: []send.Button{{Name: "문의", Type: "BC", ChatExtra: "A-1"}},
		Items: &send.ItemList{
			List:    []send.Item{{Title: "상품", Description: "연필"}, {Title: "수량", Description: "2"}},
			Summary: &send.Item{Title: "합계", Description: "2,000원"},
		},
		Highlight: &send.Highlight{Title: "연필", Description: "감사합니다"},
		Link:      &send.Link{URLMobile: "https://example.com/u1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Render() differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(orderTemplate(), tpl); diff != "" {
		t.Errorf("Render changed the template (-want +got):\n%s", diff)
	}
}

// TestTemplate_Image: the switch comes along, and not into an item list.
func TestTemplate_Image(t *testing.T) {
	t.Parallel()
	tpl := send.Template{SenderKey: "key", Code: "ORDER01", Text: "주문", Image: true}
	if a, err := tpl.Render(nil); err != nil || !a.Image {
		t.Errorf("Render() = Image %t, %v, want true, nil", a.Image, err)
	}
	tpl = orderTemplate()
	tpl.Image = true
	if _, err := tpl.Render(orderVars()); !hasField(err, "Image") {
		t.Errorf("Render() of an item list = %v, want Image refused", err)
	}
}

// TestTemplate_keysAreFixed: no key has a variable in it.
func TestTemplate_keysAreFixed(t *testing.T) {
	t.Parallel()
	tpl := send.Template{SenderKey: "#{key}", Code: "ORDER#{a}", Text: "주문 #{a}"}
	_, err := tpl.Render(map[string]string{"a": "1"})
	if got, want := richFields(t, err), []string{"SenderKey", "TemplateCode"}; !slices.Equal(got, want) {
		t.Errorf("refused fields = %q, want %q: %v", got, want, err)
	}
	if got := tpl.Variables(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("Variables() = %q, want a", got)
	}
}

func TestTemplate_Variables(t *testing.T) {
	t.Parallel()
	want := []string{"이름", "번호", "사용자", "상품", "수량", "금액"}
	got := orderTemplate().Variables()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("Variables() = %q, want %q", got, want)
	}
	if got := (send.Template{Text: "#{b} #{a} #{b} #{open"}).Variables(); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("Variables() = %q, want b, a", got)
	}
}

func TestTemplate_Refuses(t *testing.T) {
	t.Parallel()
	const secret = "비밀값"
	tests := []struct {
		name string
		text string
		vars map[string]string
		want []string
	}{
		{"none", "주문", nil, nil},
		{"empty value", "주문#{a}", map[string]string{"a": ""}, nil},
		{"empty name", "주문#{}", map[string]string{"": secret}, nil},
		{"missing, once", "#{a}#{a}#{b} 주문", map[string]string{"b": secret}, []string{"Variables[a]"}},
		{"not used", "주문", map[string]string{"a": secret, "b": secret}, []string{"Variables[a]", "Variables[b]"}},
		{"missing and not used", "주문 #{a}", map[string]string{"b": secret}, []string{"Variables[a]", "Variables[b]"}},
		{"a value with a variable", "주문 #{a}#{b}", map[string]string{"a": "#{b}" + secret, "b": secret}, []string{"Text", "Variables[a]"}},
		{"a variable put together", "주문 #{a}#{b}", map[string]string{"a": "#", "b": "{c}" + secret}, []string{"Text"}},
		{"not closed", "주문 #{a", map[string]string{}, []string{"Text"}},
		{"a variable in a variable's name", "주문 #{a#{b}}", map[string]string{"a#{b": secret}, []string{"Text"}},
		{"such a one, missing", "주문 #{a#{b}}", nil, []string{"Text", "Variables[a#{b]"}},
		{"too long", "#{a}", map[string]string{"a": strings.Repeat(secret, 500)}, []string{"Text"}},
		{"not UTF-8", "#{a}", map[string]string{"a": secret + "\xff"}, []string{"Text"}},
		{"nothing left", "#{a}", map[string]string{"a": ""}, []string{"Text"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tpl := send.Template{SenderKey: "key", Code: "ORDER01", Text: tt.text}
			got, err := tpl.Render(tt.vars)
			if fields := richFields(t, err); !slices.Equal(fields, tt.want) {
				t.Errorf("refused fields = %q, want %q: %v", fields, tt.want, err)
			}
			if err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("Render() = %v, which has a value in it", err)
			}
			if err != nil && got.Text != "" {
				t.Error("Render() returns content beside an error")
			}
		})
	}
}
