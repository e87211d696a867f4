package main

import (
	"encoding/json"
	"testing"
	"time"
)

// scenario is a number of web/recipients.json, and what the page says of it.
type scenario struct {
	Number, Outcome, Delivery string
	Ko, En                    string
}

func scenarios(t *testing.T) []scenario {
	t.Helper()
	data, err := files.ReadFile("web/recipients.json")
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct{ Numbers []scenario }
	if err := json.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	var all []scenario
	for _, g := range groups {
		all = append(all, g.Numbers...)
	}
	if len(all) < 50 {
		t.Fatalf("web/recipients.json has %d numbers, want all that are documented", len(all))
	}
	return all
}

// What the page promises for a number is what happens, for all of them.
func TestRecipients(t *testing.T) {
	t.Parallel()
	p := startProgram(t, settings{attemptTimeout: 3 * time.Second}) // 6012 takes a second, 6003 for ever
	v := visit(t, p)
	e := v.listen()
	expected := map[string]scenario{}
	for _, s := range scenarios(t) {
		if s.Ko == "" || s.En == "" {
			t.Errorf("%s has no words in a language", s.Number)
		}
		ids := v.post(order{Kind: "alimtalk_lms", To: s.Number, Text: "주문이 접수되었습니다."})
		if len(ids) != 1 {
			t.Fatalf("POST /messages to %s was refused", s.Number)
		}
		expected[ids[0]] = s
		// One after another: the breaker opens after ten failures in a row.
		e.until(func(rows map[string]row) bool { return rows[ids[0]].Outcome != "" })
	}
	e.until(func(rows map[string]row) bool {
		for id, s := range expected {
			if s.Delivery != deliveryWaiting && rows[id].Delivery != s.Delivery {
				return false
			}
		}
		return true
	})
	_, s := v.state()
	if len(s.Rows) != len(expected) {
		t.Errorf("state has %d rows, want %d", len(s.Rows), len(expected))
	}
	for _, r := range s.Rows {
		want := expected[r.ID]
		if r.Outcome != want.Outcome || r.Delivery != want.Delivery {
			t.Errorf("%s: outcome %s, delivery %s (%s), want %s, %s", want.Number, r.Outcome, r.Delivery, r.Error, want.Outcome, want.Delivery)
		}
	}
	if twice := p.vendor.server.Duplicates(); len(twice) > 0 {
		t.Errorf("%d messages were accepted twice", len(twice))
	}
}
