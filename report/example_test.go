package report_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/go-bizppurio/sdk/report"
)

// A webhook that takes reports from whoever knows the URL.
func ExampleHandler() {
	handler := report.Handler(report.Config{Secret: "a-long-random-word"},
		func(_ context.Context, r report.Report) error {
			fmt.Println(r.RefKey, r.Status(), r.Result.Text())
			return nil // an error here, and the vendor pushes again
		})

	push := httptest.NewRequest(http.MethodPost, "/bizppurio/a-long-random-word",
		strings.NewReader(`{"MSGID":"m-1","MEDIA":"KAT","RESULT":"7000","REFKEY":"order-0001"}`))
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, push)
	fmt.Println(answer.Code)
	// Output:
	// order-0001 delivered Delivered / OK (success)
	// 200
}

// With alternative send a failed record is not yet a failed message.
func ExampleSettle() {
	const channels = 2 // an alimtalk and one fallback
	kakao := report.Report{MessageID: "m-1", Medium: "KAT", Result: report.Result{Family: report.Kakao, Code: 7204}}
	sms := report.Report{MessageID: "m-2", Medium: "SMS", Result: report.Result{Family: report.SMS, Code: 4100}}

	fmt.Println(kakao.Status())
	fmt.Println(report.Settle([]report.Report{kakao}, channels))
	fmt.Println(report.Settle([]report.Report{kakao, sms}, channels))
	// Output:
	// failed
	// uncertain
	// delivered
}

// A send whose outcome is unknown is settled by its reports.
func ExampleTracker() {
	tracker := report.NewTracker(report.TrackerConfig{})
	tracker.Begin("order-0001", 1) // before the send

	// The webhook's function does this:
	status, known := tracker.Add(report.Report{
		RefKey: "order-0001", MessageID: "m-1", Medium: "SMS", Result: report.Result{Family: report.SMS, Code: 4100},
	})
	fmt.Println(status, known)

	status, err := tracker.Wait(context.Background(), "order-0001")
	fmt.Println(status, err)
	// Output:
	// delivered true
	// delivered <nil>
}

// Both forms of the vendor's reports, PUSH and POLLING, are read alike.
func ExampleDecode() {
	reports, err := report.Decode([]byte(
		`{"code":"1000","report":[{"msgid":"m-1","media":"LMS","result":"6606","refkey":"order-0001"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range reports {
		fmt.Println(r.RefKey, r.Status(), r.Result.Family, r.Result.Code, r.Result.Text())
	}
	// Output:
	// order-0001 failed mms 6606 Invalid number
}
