package send_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

// TestText_Vectors covers case 86: what does not fit or cannot be encoded is
// refused, not cut.
func TestText_Vectors(t *testing.T) {
	t.Parallel()
	for _, row := range tsv(t, "text.tsv") {
		t.Run(row[4], func(t *testing.T) {
			t.Parallel()
			text := unquote(t, row[0])
			if text == "" {
				return // required
			}
			sms, lms := message(), message()
			sms.Content, lms.Content = send.SMS{Text: text}, send.LMS{Text: text}
			for kind, c := range map[string]struct {
				m    send.Message
				fits string
			}{"SMS": {sms, row[2]}, "LMS": {lms, row[3]}} {
				err := c.m.Validate()
				if fits := strconv.FormatBool(err == nil); fits != c.fits {
					t.Errorf("%s fits = %s, want %s: %v", kind, fits, c.fits, err)
				}
				if i, bad := strings.CutPrefix(row[1], "unencodable:"); bad && !strings.Contains(err.Error(), "at "+i+", U+") {
					t.Errorf("%s: Validate() = %v, want the character at %s named", kind, err, i)
				}
			}
		})
	}
}

func TestText_Limits(t *testing.T) {
	t.Parallel()
	han := strings.Repeat
	image := []send.Image{{Key: "k"}}
	const gsm = "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./:;<=>?¡ÄÖÑÜ§¿äöñüà" // 65 characters
	tests := []struct {
		name    string
		content send.Content
		country string
		want    []string
	}{
		{"SMS, 90 bytes", send.SMS{Text: han("가", 45)}, "", nil},
		{"SMS, 91 bytes", send.SMS{Text: han("가", 45) + "a"}, "", []string{"Content.Text"}},
		{"SMS, empty", send.SMS{}, "", []string{"Content.Text"}},
		{"LMS, 2000 bytes", send.LMS{Text: han("가", 1000)}, "", nil},
		{"LMS, 2001 bytes", send.LMS{Text: han("가", 1000) + "a"}, "", []string{"Content.Text"}},
		{"LMS, subject of 64 bytes", send.LMS{Subject: han("가", 32), Text: "a"}, "", nil},
		{"LMS, subject of 65 bytes", send.LMS{Subject: han("가", 32) + "a", Text: "a"}, "", []string{"Content.Subject"}},
		{"LMS, subject with an emoji", send.LMS{Subject: "🎉", Text: "a"}, "", []string{"Content.Subject"}},
		{"LMS, empty", send.LMS{Subject: "a"}, "", []string{"Content.Text"}},
		{"MMS, no text", send.MMS{Images: image}, "", nil},
		{"MMS, 2001 bytes", send.MMS{Text: han("a", 2001), Images: image}, "", []string{"Content.Text"}},
		{"MMS, subject of 65 bytes", send.MMS{Subject: han("a", 65), Images: image}, "", []string{"Content.Subject"}},

		{"SMS abroad, 140 GSM", send.SMS{Text: han("a", 140)}, "1", nil},
		{"SMS abroad, 141 GSM", send.SMS{Text: han("a", 141)}, "1", []string{"Content.Text"}},
		{"SMS abroad, 70 extended", send.SMS{Text: han("€", 70)}, "1", nil},
		{"SMS abroad, 70 extended and one", send.SMS{Text: han("[", 70) + "a"}, "1", []string{"Content.Text"}},
		{"SMS abroad, 70 Korean", send.SMS{Text: han("가", 70)}, "1", nil},
		{"SMS abroad, 71 Korean", send.SMS{Text: han("가", 71)}, "1", []string{"Content.Text"}},
		{"SMS abroad, one Korean makes all two bytes", send.SMS{Text: "가" + han("a", 70)}, "1", []string{"Content.Text"}},
		{"SMS abroad, backquote is not GSM", send.SMS{Text: "`" + han("a", 70)}, "1", []string{"Content.Text"}},
		{"SMS abroad, 35 emoji", send.SMS{Text: han("🎉", 35)}, "1", nil},
		{"SMS abroad, 36 emoji", send.SMS{Text: han("🎉", 36)}, "1", []string{"Content.Text"}},
		{"SMS abroad, Latin letters that EUC-KR lacks", send.SMS{Text: han("é", 140)}, "33", nil},
		{"SMS abroad, invalid UTF-8", send.SMS{Text: "a\xff"}, "1", []string{"Content.Text"}},
		{"SMS abroad, each character of one byte", send.SMS{Text: gsm + han("a", 140-65)}, "1", nil},
		{"SMS abroad, each of them and one more", send.SMS{Text: gsm + han("a", 141-65)}, "1", []string{"Content.Text"}},
		{"LMS abroad, 420 GSM", send.LMS{Text: han("a", 420)}, "1", nil},
		{"LMS abroad, 421 GSM", send.LMS{Text: han("a", 421)}, "1", []string{"Content.Text"}},
		{"LMS abroad, 210 Korean", send.LMS{Text: han("가", 210)}, "1", nil},
		{"LMS abroad, 211 Korean", send.LMS{Text: han("가", 211)}, "1", []string{"Content.Text"}},
		{"MMS abroad", send.MMS{Images: image}, "1", []string{"Content"}},
		{"alimtalk abroad", alimTalk(), "81", nil},
		{"RCS abroad", send.RCS{MessageBaseID: "SS000000", ChatbotID: "15880000", Header: "0", Message: map[string]string{"description": "a"}}, "1", []string{"Content"}},
		{"TalkTalk abroad", send.TalkTalk{PartnerID: "p", PartnerKey: "k", ProductCode: "CARDINFO", TemplateCode: "T"}, "1", []string{"Content"}},
		{"Raw abroad", send.Raw{Type: "mms", JSON: []byte(`{}`)}, "1", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := message()
			m.Content, m.Country = tt.content, tt.country
			expectFields(t, m, tt.want...)
		})
	}
}
