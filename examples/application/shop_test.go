package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

func TestShop(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		phone  string
		script error
		status int
		parked bool
	}{
		{name: "accepted", phone: "010-1234-5678", status: http.StatusAccepted},
		{name: "not a number", phone: "010-12", status: http.StatusUnprocessableEntity},
		{name: "vendor is busy", phone: "010-1234-5678", script: &send.Error{Outcome: send.NotSent, Reason: send.Busy}, status: http.StatusServiceUnavailable},
		{name: "nobody knows", phone: "010-1234-5678", script: &send.Error{Outcome: send.Unknown, Reason: send.Timeout}, status: http.StatusAccepted, parked: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var fake bizppuriotest.Fake
			fake.Script(tt.script)
			var parked string
			s := &shop{sender: &fake, log: slog.New(slog.DiscardHandler), park: func(refKey string) { parked = refKey }}

			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/orders?order=7&phone="+tt.phone, nil))

			if w.Code != tt.status {
				t.Errorf("status = %d, want %d", w.Code, tt.status)
			}
			if got := parked == "order-7"; got != tt.parked {
				t.Errorf("parked %q, want it parked: %v", parked, tt.parked)
			}
		})
	}
}
