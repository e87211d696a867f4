package send_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/send"
)

func TestAlimTalk_Validate(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("가", n) }
	items := func(n int) *send.ItemList {
		l := new(send.ItemList)
		for range n {
			l.List = append(l.List, send.Item{Title: "상품", Description: "연필"})
		}
		return l
	}
	summary := func(amount string) *send.ItemList {
		l := items(2)
		l.Summary = &send.Item{Title: "합계", Description: amount}
		return l
	}
	tests := []struct {
		name   string
		change func(*send.AlimTalk)
		want   []string
	}{
		{"as it is", func(*send.AlimTalk) {}, nil},
		{"zero", func(a *send.AlimTalk) { *a = send.AlimTalk{} }, []string{"SenderKey", "TemplateCode", "Text"}},
		{"at the limits", func(a *send.AlimTalk) {
			*a = send.AlimTalk{
				SenderKey: long(40), TemplateCode: long(32), Text: long(1300), Title: long(50), Header: long(16),
				Buttons: make5(send.Button{Name: long(28), Type: "BK"}), Items: items(10),
				Highlight: &send.Highlight{Title: long(30) + `\s`, Description: long(19)},
			}
		}, nil},
		{"one beyond the limits", func(a *send.AlimTalk) {
			*a = send.AlimTalk{
				SenderKey: long(41), TemplateCode: long(33), Text: long(1301), Title: long(51), Header: long(17),
				Buttons: append(make5(send.Button{Name: "a", Type: "BK"}), send.Button{Name: long(29), Type: "BK"}), Items: items(11),
				Highlight: &send.Highlight{Title: long(31), Description: long(20)},
			}
		}, []string{
			"SenderKey", "TemplateCode", "Text", "Title", "Header", "Buttons", "Buttons[5].Name", "Items.List",
			"Highlight.Title", "Highlight.Description",
		}},
		{"text with emoji", func(a *send.AlimTalk) { a.Text = "🎉 <b>&" }, nil},
		{"text not UTF-8", func(a *send.AlimTalk) { a.Text = "a\xff" }, []string{"Text"}},
		{"one item", func(a *send.AlimTalk) { a.Items = items(1) }, []string{"Items.List"}},
		{"item too long", func(a *send.AlimTalk) {
			a.Items = items(2)
			a.Items.List[1] = send.Item{Title: long(7), Description: long(24)}
		}, []string{"Items.List[1].Title", "Items.List[1].Description"}},
		{"empty item", func(a *send.AlimTalk) {
			a.Items = items(2)
			a.Items.List[0] = send.Item{}
		}, []string{"Items.List[0].Title", "Items.List[0].Description"}},
		{"items as an image", func(a *send.AlimTalk) { a.Items, a.Image = items(2), true }, []string{"Image"}},
		{"highlight with its own image and items", func(a *send.AlimTalk) {
			a.Items, a.Highlight = items(2), &send.Highlight{Title: "a", Description: "b", ImageURL: "https://example.com/h.jpg"}
		}, nil},
		{"summary in won", func(a *send.AlimTalk) { a.Items = summary("2,000원") }, nil},
		{"summary in dollars", func(a *send.AlimTalk) { a.Items = summary("$ 1,000.50 USD") }, nil},
		{"summary of 15", func(a *send.AlimTalk) { a.Items = summary("1,000,000,000원!") }, []string{"Items.Summary.Description"}},
		{"summary in words", func(a *send.AlimTalk) { a.Items = summary("이천 원") }, []string{"Items.Summary.Description"}},
		{"highlight with an image", func(a *send.AlimTalk) {
			a.Highlight = &send.Highlight{Title: long(21), Description: long(14), ImageURL: "https://example.com/h.jpg"}
		}, nil},
		{"highlight with an image, too long", func(a *send.AlimTalk) {
			a.Highlight = &send.Highlight{Title: long(22), Description: long(15), ImageURL: long(501)}
		}, []string{"Highlight.Title", "Highlight.Description", "Highlight.ImageURL"}},
		{"link not UTF-8", func(a *send.AlimTalk) { a.Link = &send.Link{URLPC: "\xff"} }, []string{"Link.URLPC"}},
		{"ten quick replies", func(a *send.AlimTalk) {
			a.QuickReplies = append(make5(send.Button{Name: "a", Type: "MD"}), make5(send.Button{Name: "a", Type: "DS"})...)
		}, nil},
		{"eleven quick replies", func(a *send.AlimTalk) {
			a.QuickReplies = append(make5(send.Button{Name: "a", Type: "BK"}), append(make5(send.Button{Name: "a", Type: "BK"}), send.Button{})...)
		}, []string{"QuickReplies", "QuickReplies[10].Name", "QuickReplies[10].Type"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := alimTalk()
			tt.change(&a)
			m := message()
			m.Content = a
			for i := range tt.want {
				tt.want[i] = "Content." + tt.want[i]
			}
			expectFields(t, m, tt.want...)
		})
	}
}

func make5(b send.Button) []send.Button { return []send.Button{b, b, b, b, b} }

func TestButton_Validate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		button send.Button
		want   string // field, "" for none
	}{
		{"WL", send.Button{Name: "a", Type: "WL", URLMobile: "https://example.com"}, ""},
		{"WL without URLMobile", send.Button{Name: "a", Type: "WL", URLPC: "https://example.com"}, "URLMobile"},
		{"AL, both schemes", send.Button{Name: "a", Type: "AL", SchemeIOS: "app://", SchemeAndroid: "app://"}, ""},
		{"AL, scheme and URL", send.Button{Name: "a", Type: "AL", SchemeIOS: "app://", URLMobile: "https://example.com"}, ""},
		{"AL, one scheme", send.Button{Name: "a", Type: "AL", SchemeIOS: "app://", URLPC: "https://example.com"}, "Type"},
		{"AL, nothing", send.Button{Name: "a", Type: "AL"}, "Type"},
		{"DS", send.Button{Name: "a", Type: "DS"}, ""},
		{"BK", send.Button{Name: "a", Type: "BK"}, ""},
		{"MD", send.Button{Name: "a", Type: "MD"}, ""},
		{"BC", send.Button{Name: "a", Type: "BC", ChatExtra: strings.Repeat("가", 50)}, ""},
		{"BC, extra too long", send.Button{Name: "a", Type: "BC", ChatExtra: strings.Repeat("가", 51)}, "ChatExtra"},
		{"BT, event too long", send.Button{Name: "a", Type: "BT", ChatEvent: strings.Repeat("가", 51)}, "ChatEvent"},
		{"AC", send.Button{Name: "채널 추가", Type: "AC"}, ""},
		{"AC, other name", send.Button{Name: "추가", Type: "AC"}, "Name"},
		{"P1", send.Button{Name: "a", Type: "P1"}, ""},
		{"P2, id too long", send.Button{Name: "a", Type: "P2", PluginID: strings.Repeat("a", 25)}, "PluginID"},
		{"P3, oneclick", send.Button{Name: "a", Type: "P3", OneclickID: "1"}, ""},
		{"P3, product", send.Button{Name: "a", Type: "P3", ProductID: "1"}, ""},
		{"P3, neither", send.Button{Name: "a", Type: "P3", PluginID: "1"}, "Type"},
		{"BF", send.Button{Name: "a", Type: "BF", BizFormID: 1}, ""},
		{"BF without id", send.Button{Name: "a", Type: "BF", BizFormKey: 1}, "BizFormID"},
		{"BF, negative", send.Button{Name: "a", Type: "BF", BizFormID: -1}, "BizFormID"},
		{"BF, negative key", send.Button{Name: "a", Type: "BF", BizFormID: 1, BizFormKey: -1}, "BizFormKey"},
		{"TN", send.Button{Name: "a", Type: "TN", TelNumber: "0507-1234-5678"}, ""},
		{"TN without number", send.Button{Name: "a", Type: "TN"}, "TelNumber"},
		{"TN, number too long", send.Button{Name: "a", Type: "TN", TelNumber: "0507-1234-56789"}, "TelNumber"},
		{"MP, address", send.Button{Name: "a", Type: "MP", MapAddress: "서울"}, ""},
		{"MP, coordinates", send.Button{Name: "a", Type: "MP", MapCoordinates: "37,126"}, ""},
		{"MP, neither", send.Button{Name: "a", Type: "MP"}, "Type"},
		{"no name", send.Button{Type: "BK"}, "Name"},
		{"no type", send.Button{Name: "a"}, "Type"},
		{"unknown type", send.Button{Name: "a", Type: "ZZ"}, "Type"},
		{"lower case", send.Button{Name: "a", Type: "wl", URLMobile: "https://example.com"}, "Type"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, list := range []string{"Buttons", "QuickReplies"} {
				a := alimTalk()
				if list == "Buttons" {
					a.Buttons = []send.Button{tt.button}
				} else {
					a.QuickReplies = []send.Button{tt.button}
				}
				m := message()
				m.Content = a
				if tt.want == "" {
					expectFields(t, m)
				} else {
					expectFields(t, m, "Content."+list+"[0]."+tt.want)
				}
			}
		})
	}
}

func TestMMS_Images(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 3, 0, 0, 0, time.UTC)
	tests := []struct {
		name   string
		images []send.Image
		at     time.Time
		want   []string
	}{
		{"none", nil, time.Time{}, []string{"Content.Images"}},
		{"three", []send.Image{{Key: "a"}, {Key: "b"}, {Key: "c"}}, time.Time{}, nil},
		{"four", []send.Image{{Key: "a"}, {Key: "b"}, {Key: "c"}, {Key: "d"}}, time.Time{}, []string{"Content.Images"}},
		{"no key", []send.Image{{}}, time.Time{}, []string{"Content.Images[0].Key"}},
		{"key of 40", []send.Image{{Key: strings.Repeat("k", 40)}}, time.Time{}, nil},
		{"key of 41", []send.Image{{Key: strings.Repeat("k", 41)}}, time.Time{}, []string{"Content.Images[0].Key"}},
		{"expires now", []send.Image{{Key: "a", Until: now}}, time.Time{}, nil},
		{"expired", []send.Image{{Key: "a"}, {Key: "b", Until: now.Add(-1)}}, time.Time{}, []string{"Content.Images[1].Until"}},
		{"At in time", []send.Image{{Key: "a", Until: now.Add(time.Hour)}}, now.Add(time.Hour), nil},
		{"At too late", []send.Image{{Key: "a", Until: now.Add(time.Hour)}}, now.Add(time.Hour + 1), []string{"Content.Images[0].Until"}},
		{"At past means now", []send.Image{{Key: "a", Until: now.Add(-1)}}, now.Add(-time.Hour), []string{"Content.Images[0].Until"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			atClock(t, func(t *testing.T) {
				t.Helper()
				m := message()
				m.Content, m.At = send.MMS{Images: tt.images}, tt.at
				expectFields(t, m, tt.want...)
			})
		})
	}
}

func TestRaw_Validate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		raw  send.Raw
		want []string
	}{
		{"object", send.Raw{Type: "zz", JSON: []byte(` {"a":[1,{"b":null}]} `)}, nil},
		{"zero", send.Raw{}, []string{"Content.Type", "Content.JSON"}},
		{"no object", send.Raw{Type: "zz", JSON: []byte(`[1]`)}, []string{"Content.JSON"}},
		{"null", send.Raw{Type: "zz", JSON: []byte(`null`)}, []string{"Content.JSON"}},
		{"broken", send.Raw{Type: "zz", JSON: []byte(`{"a":`)}, []string{"Content.JSON"}},
		{"two values", send.Raw{Type: "zz", JSON: []byte(`{} {}`)}, []string{"Content.JSON"}},
		{"not UTF-8", send.Raw{Type: "zz", JSON: []byte("{\"a\":\"\xff\"}")}, []string{"Content.JSON"}},
		{"white space only", send.Raw{Type: "zz", JSON: []byte(" \n")}, []string{"Content.JSON"}},
		{"type with a space", send.Raw{Type: "z z", JSON: []byte(`{}`)}, []string{"Content.Type"}},
		{"type not UTF-8", send.Raw{Type: "z\xff", JSON: []byte(`{}`)}, []string{"Content.Type"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := message()
			m.Content = tt.raw
			expectFields(t, m, tt.want...)
		})
	}
	m := message()
	m.Content = send.Raw{Type: "zz", JSON: []byte(`{"a":`)}
	if b, err := m.AppendBody([]byte("x"), "acct01"); err == nil || string(b) != "x" {
		t.Errorf("AppendBody() = %q, %v, want what was there and an error", b, err)
	}
}
