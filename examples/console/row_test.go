package main

import (
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/report"
)

func TestMask(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"010-1234-5678":    "010-****-5678",
		"01012345678":      "010-****-5678",
		"010 1234 5678":    "010-****-5678",
		"0101234567":       "010-****-4567",
		"010123456":        "***",
		"+82 10 1234 5678": "***",
		"홍길동 01012345678":  "***",
		"":                 "***",
	} {
		if got := mask(number); got != want {
			t.Errorf("mask(%q) = %q, want %q", number, got, want)
		}
	}
}

// Every kind makes messages that the SDK takes, with the text of the page and
// at the length that the page allows.
func TestKinds(t *testing.T) {
	t.Parallel()
	for _, k := range kindsOf(simulatedSenderKey, simulatedTemplate, true) {
		letters := k.Max
		if k.Unit == "bytes" {
			letters /= 2
		}
		for _, text := range []string{"주문이 접수되었습니다. 주문번호 2026-0001", strings.Repeat("가", letters)} {
			if err := k.message("010-0000-0000", "ref", text).Validate(); err != nil {
				t.Errorf("%s with %d letters: Validate() = %v, want nil", k.Name, len([]rune(text)), err)
			}
		}
		if err := k.message("010-0000-0000", "ref", strings.Repeat("가", letters+1)).Validate(); err == nil && k.Unit == "chars" {
			t.Errorf("%s with %d letters: Validate() = nil, want an error one letter past the page's limit", k.Name, letters+1)
		}
	}
}

// A failed channel is not a failed message, and a channel that is uncertain is
// worth showing.
func TestRowReport(t *testing.T) {
	t.Parallel()
	failed := report.Report{Medium: "KAT", Result: report.Result{Family: report.Kakao, Code: 7103}}
	delivered := report.Report{Medium: "LMS", Result: report.Result{Family: report.MMS, Code: 6600}}
	uncertain := report.Report{Medium: "KAT", Result: report.Result{Family: report.Kakao, Code: 7305}}
	for _, tt := range []struct {
		name string
		rep  report.Report
		all  report.Status
		want string
	}{
		{"first channel failed", failed, report.Uncertain, deliveryWaiting},
		{"every channel failed", failed, report.Failed, "failed"},
		{"fallback delivered", delivered, report.Delivered, "delivered"},
		{"uncertain", uncertain, report.Uncertain, "uncertain"},
		{"late failure after a delivery", failed, report.Delivered, "delivered"},
	} {
		r := row{Delivery: deliveryWaiting}
		r.report(tt.rep, tt.all, time.Unix(1, 0))
		if r.Delivery != tt.want || len(r.Reports) != 1 {
			t.Errorf("%s: delivery = %s with %d reports, want %s with 1", tt.name, r.Delivery, len(r.Reports), tt.want)
		}
	}
}
