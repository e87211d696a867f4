package send_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

// sentNumbers returns to and from of the body, "invalid" where AppendBody
// refuses.
func sentNumbers(t *testing.T, m send.Message) (to, from string) {
	t.Helper()
	b, err := m.AppendBody(nil, "acct01")
	if err != nil {
		return "invalid", "invalid"
	}
	var body struct{ To, From string }
	if err := json.Unmarshal(b, &body); err != nil {
		t.Fatal(err)
	}
	return body.To, body.From
}

func TestMessage_Numbers(t *testing.T) {
	t.Parallel()
	for _, row := range tsv(t, "phones.tsv") {
		t.Run(row[3], func(t *testing.T) {
			t.Parallel()
			m := message()
			var got string
			input, kind, want := unquote(t, row[0]), row[1], strings.Split(row[2], "|")
			if kind == "to" {
				m.To = input
				got, _ = sentNumbers(t, m)
			} else {
				m.From = input
				_, got = sentNumbers(t, m)
			}
			if !slices.Contains(want, got) {
				t.Errorf("%s %s goes out as %q, want %q", kind, row[0], got, row[2])
			}
			err := m.Validate()
			if mayBeEmpty := kind == "from" && input == ""; (err != nil) != (got == "invalid") && !mayBeEmpty {
				t.Errorf("Validate() = %v, but AppendBody yields %q", err, got)
			}
			if err != nil && len(input) > 3 && strings.Contains(err.Error(), input) {
				t.Errorf("Validate() = %v, which has the number in it", err)
			}
		})
	}
}

func TestMessage_MoreNumbers(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, to, want string }{
		{"minus sign only", "-", "invalid"},
		{"plus sign only", "+", "invalid"},
		{"another country", "+1 212-555-0123", "invalid"},
		{"no leading zero", "1012345678", "invalid"},
		{"mobile with 7 digits, old prefix", "011-234-5678", "0112345678"},
		{"old prefix, too short", "011-234-567", "invalid"},
		{"Arabic digits", "٠١٠١٢٣٤٥٦٧٨", "invalid"},
		{"area code and representative number", "02-1588-0000", "invalid"},
		{"050, 11 digits", "0505-123-4567", "05051234567"},
		{"050, 13 digits", "0505-12345-6789", "invalid"},
		{"Seoul, 8 digits", "02123456", "invalid"},
		{"a letter behind", "01012345678x", "invalid"},
		{"trailing newline", "01012345678\n", "01012345678"},
		{"00 in front", "00821012345678", "invalid"},
		{"invalid UTF-8", "010\xff12345678", "invalid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := message()
			m.To = tt.to
			if got, _ := sentNumbers(t, m); got != tt.want {
				t.Errorf("to %q goes out as %q, want %q", tt.to, got, tt.want)
			}
		})
	}
}

func TestMessage_NumbersAbroad(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, to, country, want string }{
		{"digits", "2125550123", "1", "2125550123"},
		{"separators", " 212-555 0123 ", "1", "2125550123"},
		{"leading zero stays", "01012341234", "1", "01012341234"},
		{"plus sign", "+12125550123", "1", "invalid"},
		{"letters", "212555CALL", "1", "invalid"},
		{"sixteen digits", "1234567890123456", "1", "1234567890123456"},
		{"seventeen digits", "12345678901234567", "1", "invalid"},
		{"empty", "", "1", "invalid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := message()
			m.To, m.Country = tt.to, tt.country
			got, _ := sentNumbers(t, m)
			if got != tt.want {
				t.Errorf("to %q goes out as %q, want %q", tt.to, got, tt.want)
			}
			if err := m.Validate(); (err != nil) != (tt.want == "invalid") {
				t.Errorf("Validate() = %v, want invalid %t", err, tt.want == "invalid")
			}
		})
	}
	for _, country := range []string{"+1", "001 ", "123456", "US", "１", "-1"} {
		m := message()
		m.To, m.Country = "2125550123", country
		if got := richFields(t, m.Validate()); !slices.Equal(got, []string{"Country"}) {
			t.Errorf("Country %q: refused fields = %q, want Country", country, got)
		}
	}
}
