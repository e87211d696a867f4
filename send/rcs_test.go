package send_test

import (
	"math"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

func sameRCS(m send.RCS) send.RCS { return m }

func TestRCS_VendorForm(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, vendor string }{
		{"standalone", `{"messagebaseid":"SS000000","chatbotid":"15880000","header":"0","message":{"description":"안내"}}`},
		{"advertisement with url button", `{"messagebaseid":"SMwThT00","chatbotid":"15880000","header":"1","footer":"080-000-0000","copyallowed":"Y",
			"message":{"title":"행사","description":"안내","media":"maapfile://BR.example.20260101000000.001"},
			"button":[{"suggestions":[{"action":{"urlAction":{"openUrl":{"url":"https://example.com/?a=1&b=<2>"}},"displayText":"열기"}}]}]}`},
		{"carousel with an empty card", `{"messagebaseid":"CMwMhM0200","chatbotid":"15880000","header":"0",
			"message":{"title1":"A","description1":"가","media1":"maapfile://a","title2":"B","description2":"나","media2":"maapfile://b"},
			"button":[{"suggestions":[{"action":{"dialerAction":{"dialPhoneNumber":{"phoneNumber":"+8215880000"}},"displayText":"전화"}}]},{}]}`},
		{"copy, share, compose", `{"messagebaseid":"SL000000","chatbotid":"15880000","header":"0","message":{"description":"안내"},
			"button":[{"suggestions":[
				{"action":{"clipboardAction":{"copyToClipboard":{"text":"A-1"}},"displayText":"복사"}},
				{"action":{"mapAction":{"requestLocationPush":{}},"displayText":"위치"}},
				{"action":{"composeAction":{"composeTextMessage":{"phoneNumber":"15880000","text":"네"}},"displayText":"답장","postback":{"data":"set_by_chatbot"}}}]}]}`},
		{"map and calendar", `{"messagebaseid":"SMwThM00","chatbotid":"15880000","header":"0","message":{"description":"안내"},
			"button":[{"suggestions":[
				{"action":{"mapAction":{"showLocation":{"location":{"latitude":37.4001971,"longitude":127.1036,"label":"지점"},"fallbackUrl":"https://example.com/map"}},"displayText":"지도"}},
				{"action":{"calendarAction":{"createCalendarEvent":{"startTime":"2017-03-16T17:40:00.214+09:00","endTime":"2017-03-16T18:40:00+09:00","title":"예약","description":"내과"}},"displayText":"일정"}}]}]}`},
		{"map without a label, whole degrees", `{"messagebaseid":"SMwThM00","chatbotid":"15880000","header":"0",
			"button":[{"suggestions":[{"action":{"mapAction":{"showLocation":{"location":{"latitude":0,"longitude":-127}}},"displayText":"지도"}}]}]}`},
		{"agency fields", `{"messagebaseid":"UBR.template1","chatbotid":"15880000","header":"0","agencyid":"daoutech","agencykey":"ak","brandkey":"bk","groupid":"campaign1","message":{"name":"홍길동"}}`},
		{"a format of a later release", `{"messagebaseid":"NEW00001","chatbotid":"15880000","header":"0","message":{"anything":"` + hangul(3000) + `"},"button":[{},{},{},{},{},{},{}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			checkVendorForm(t, "rcs", tt.vendor, sameRCS)
		})
	}
}

func TestRCS_Check(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*send.RCS)
		want   []string
	}{
		{"nothing set", func(m *send.RCS) { *m = send.RCS{} }, []string{"MessageBaseID", "ChatbotID", "Header"}},
		{"message base at its limit", func(m *send.RCS) { m.MessageBaseID = "UBR." + strings.Repeat("x", 36) }, nil},
		{"message base too long", func(m *send.RCS) { m.MessageBaseID = "UBR." + strings.Repeat("x", 37) }, []string{"MessageBaseID"}},
		{"chatbot at its limit", func(m *send.RCS) { m.ChatbotID = hangul(40) }, nil},
		{"chatbot too long", func(m *send.RCS) { m.ChatbotID = hangul(41) }, []string{"ChatbotID"}},
		{"unknown header", func(m *send.RCS) { m.Header = "2" }, []string{"Header"}},
		{"footer without advertisement", func(m *send.RCS) { m.Footer = "080-000-0000" }, []string{"Footer"}},
		{"advertisement without footer", func(m *send.RCS) { m.Header = "1" }, []string{"Footer"}},
		{"footer of 20", func(m *send.RCS) { m.Header, m.Footer = "1", strings.Repeat("0", 20) }, nil},
		{"footer of 64", func(m *send.RCS) { m.Header, m.Footer = "1", strings.Repeat("0", 64) }, nil},
		{"footer of 65", func(m *send.RCS) { m.Header, m.Footer = "1", strings.Repeat("0", 65) }, []string{"Footer"}},
		{"footer with words", func(m *send.RCS) { m.Header, m.Footer = "1", "080 000" }, []string{"Footer"}},
		{"footer with a sign inside", func(m *send.RCS) { m.Header, m.Footer = "1", "080.000" }, []string{"Footer"}},
		{"flag in lower case", func(m *send.RCS) { m.CopyAllowed = "y" }, []string{"CopyAllowed"}},
		{"agency at its limits", func(m *send.RCS) {
			m.AgencyID, m.AgencyKey, m.BrandKey, m.GroupID = hangul(20), hangul(64), hangul(64), hangul(20)
		}, nil},
		{"agency too long", func(m *send.RCS) {
			m.AgencyID, m.AgencyKey, m.BrandKey, m.GroupID = hangul(21), hangul(65), hangul(65), hangul(21)
		}, []string{"AgencyID", "AgencyKey", "BrandKey", "GroupID"}},
		{"text not UTF-8", func(m *send.RCS) { m.Message = map[string]string{"title": "\xff"} }, []string{"Message"}},
		{"advertisement on unified RCS", func(m *send.RCS) {
			m.MessageBaseID, m.Header, m.Footer = "RPSSAXX001", "1", "080-000-0000"
		}, []string{"Header"}},
		{"template with a long text", func(m *send.RCS) {
			m.MessageBaseID, m.Message = "UBR.x", map[string]string{"description": hangul(2000), "media": "whatever"}
		}, nil},
		{"carousel with too few entries of buttons", func(m *send.RCS) {
			m.MessageBaseID, m.Buttons = "CMwShS0300", make([]send.RCSCard, 2)
		}, []string{"Buttons"}},
		{"carousel with an entry per card", func(m *send.RCS) { m.MessageBaseID, m.Buttons = "CMwShS0300", make([]send.RCSCard, 3) }, nil},
		{"carousel without buttons", func(m *send.RCS) { m.MessageBaseID = "CMwShS0600" }, nil},
		{"carousel with a card too many", func(m *send.RCS) {
			m.MessageBaseID, m.Message = "CMwMhM0200", map[string]string{"title2": "b", "title3": "c"}
		}, []string{"Message[title3]"}},
		{"carousel, long text on a card", func(m *send.RCS) {
			m.MessageBaseID, m.Message = "CMwMhM0200", map[string]string{"description1": hangul(1300), "description2": hangul(1301)}
		}, []string{"Message[description2]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := send.RCS{MessageBaseID: "SS000000", ChatbotID: "15880000", Header: "0", Message: map[string]string{"description": "안내"}}
			tt.change(&m)
			checkFields(t, m, &m, tt.want...)
		})
	}
}

// TestRCS_Formats walks the vendor's table of message bases.
func TestRCS_Formats(t *testing.T) {
	t.Parallel()
	title := []string{"media", "subTitle1", "subDesc1"}
	image := []string{"media", "description"}
	vertical := []string{"media", "subMedia1", "subDesc1", "subMedia2", "subDesc2"}
	horizontal := []string{"media", "description", "subMedia1", "subMedia2", "subMedia3"}
	tests := []struct {
		id             string
		buttons, chars int
		required       []string
	}{
		{"SS000000", 1, 100, nil},
		{"SL000000", 3, 1300, nil},
		{"SMwThT00", 2, 1300, nil},
		{"SMwThM00", 2, 1300, nil},
		{"OMHITV0001", 2, 150, title},
		{"OMHITS0001", 2, 150, title},
		{"OMHIMV0001", 2, 150, image},
		{"OMHIMS0001", 2, 150, image},
		{"OMTBNV0001", 2, 150, vertical},
		{"OMTBNH0001", 2, 150, horizontal},
		{"OMSNSS0001", 2, 150, image},
		{"OMSNSH0001", 2, 150, image},
		{"RPSSAXX001", 1, 100, nil},
		{"RPLSAXX001", 3, 1300, nil},
		{"RPMSMMX001", 2, 1300, nil},
		{"RPMSMTX001", 2, 1300, nil},
		{"IBR.x", 2, 1000, nil},
		{"LBR.x", 2, 1300, nil},
	}
	for _, tt := range tests {
		t.Run(tt.id, func(t *testing.T) {
			t.Parallel()
			build := func(chars, buttons int) send.RCS {
				m := send.RCS{MessageBaseID: tt.id, ChatbotID: "15880000", Header: "0", Message: map[string]string{}}
				for _, key := range tt.required {
					m.Message[key] = "maapfile://a"
				}
				m.Message["description"] = hangul(chars)
				var card send.RCSCard
				for range buttons {
					card = append(card, send.RCSButton{Text: "b", Copy: "c"})
				}
				m.Buttons = []send.RCSCard{card}
				return m
			}
			m := build(tt.chars, tt.buttons)
			checkFields(t, m, &m)
			m = build(tt.chars+1, tt.buttons+1)
			checkFields(t, m, &m, "Message[description]", "Buttons[0]")
			m = build(1, 0)
			m.Buttons = append(m.Buttons, nil)
			checkFields(t, m, &m, "Buttons")
			for _, key := range tt.required {
				m := build(1, 0)
				delete(m.Message, key)
				checkFields(t, m, &m, "Message["+key+"]")
			}
		})
	}
}

func TestRCS_Media(t *testing.T) {
	t.Parallel()
	tests := []struct {
		media string
		ok    bool
	}{
		{"", true},
		{"maapfile://BR.x", true},
		{"https://www.youtube.com/watch?v=ID,maapfile://BR.x", true},
		{"https://youtu.be/ID,maapfile://BR.x", true},
		{"https://m.youtube.com/watch?v=ID,maapfile://BR.x", true},
		{"maapfile://", false},
		{"BR.x", false},
		{"https://youtu.be/ID", false},
		{"https://youtu.be/ID, maapfile://BR.x", false},
		{"https://youtu.be/,maapfile://BR.x", false},
		{"http://youtu.be/ID,maapfile://BR.x", false},
		{"https://example.com/ID,maapfile://BR.x", false},
		{",maapfile://BR.x", false},
	}
	for _, tt := range tests {
		t.Run(tt.media, func(t *testing.T) {
			t.Parallel()
			m := send.RCS{MessageBaseID: "SMwThT00", ChatbotID: "1", Header: "0", Message: map[string]string{"media": tt.media}}
			var want []string
			if !tt.ok {
				want = []string{"Message[media]"}
			}
			checkFields(t, m, &m, want...)
		})
	}
}

func TestRCS_Buttons(t *testing.T) {
	t.Parallel()
	place := func(latitude, longitude float64) send.RCSButton {
		return send.RCSButton{Text: "b", ShowLocation: &send.RCSLocation{Latitude: latitude, Longitude: longitude}}
	}
	event := func(start, end, title string) send.RCSButton {
		return send.RCSButton{Text: "b", Calendar: &send.RCSEvent{StartTime: start, EndTime: end, Title: title}}
	}
	const moment = "2017-03-16T17:40:00.214+09:00"
	tests := []struct {
		name   string
		button send.RCSButton
		want   []string
	}{
		{"no text", send.RCSButton{Copy: "c"}, []string{"Text"}},
		{"no action", send.RCSButton{Text: "b"}, []string{"OpenURL"}},
		{"two actions", send.RCSButton{Text: "b", Copy: "c", Dial: "1"}, []string{"OpenURL"}},
		{"both maps", send.RCSButton{Text: "b", ShareLocation: true, ShowLocation: &send.RCSLocation{}}, []string{"OpenURL"}},
		{"corner of the map", place(90, -180), nil},
		{"beyond the pole", place(90.1, 0), []string{"ShowLocation.Latitude"}},
		{"beyond the date line", place(0, -180.1), []string{"ShowLocation.Longitude"}},
		{"no number", place(math.NaN(), math.Inf(1)), []string{"ShowLocation.Latitude", "ShowLocation.Longitude"}},
		{"compose nothing", send.RCSButton{Text: "b", Compose: &send.RCSCompose{}}, []string{"Compose.PhoneNumber", "Compose.Text"}},
		{"event", event(moment, "2017-03-16T17:40:00Z", "t"), nil},
		{"empty event", event("", "", ""), []string{"Calendar.StartTime", "Calendar.EndTime", "Calendar.Title"}},
		{"event without a zone", event("2017-03-16T17:40:00", moment, "t"), []string{"Calendar.StartTime"}},
		{"not UTF-8", send.RCSButton{Text: "b", Postback: "\xff", OpenURL: "\xff"}, []string{"Postback", "OpenURL"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := send.RCS{
				MessageBaseID: "CMwMhM0200", ChatbotID: "15880000", Header: "0",
				Buttons: []send.RCSCard{nil, {{Text: "ok", Copy: "c"}, tt.button}},
			}
			var want []string
			for _, w := range tt.want {
				want = append(want, "Buttons[1][1]."+w)
			}
			checkFields(t, m, &m, want...)
		})
	}
}

func TestRCS_Masked(t *testing.T) {
	t.Parallel()
	l := &send.RCSLocation{Label: "CANARY"}
	p := &send.RCSCompose{Text: "CANARY"}
	e := &send.RCSEvent{Title: "CANARY"}
	b := send.RCSButton{Text: "CANARY", ShowLocation: l, Compose: p, Calendar: e}
	card := send.RCSCard{b}
	m := send.RCS{AgencyKey: "CANARY", Message: map[string]string{"CANARY": "CANARY"}, Buttons: []send.RCSCard{card}}
	for _, v := range []any{m, &m, card, &card, b, &b, l, *l, p, *p, e, *e} {
		checkMasked(t, v)
	}
}
