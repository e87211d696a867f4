package bizppurio_test

import (
	"net/http"
	"testing"

	"github.com/jarcoal/httpmock"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

// TestHTTPMock: a mock transport plugs in through engine.Wrap.
func TestHTTPMock(t *testing.T) {
	t.Parallel()
	mock := httpmock.NewMockTransport()
	mock.RegisterResponder(http.MethodPost, bizppurio.Production+"/v1/token",
		httpmock.NewStringResponder(200, `{"accesstoken":"t","type":"Bearer"}`))
	mock.RegisterMatcherResponder(http.MethodPost, bizppurio.Production+"/v3/message",
		httpmock.HeaderIs("Authorization", "Bearer t").And(httpmock.HeaderIs("Content-Type", "application/json; charset=utf-8")),
		httpmock.NewStringResponder(400, `{"code":2000,"refkey":"r"}`))
	c, err := bizppurio.New(bizppurio.Config{Account: "a", Password: "p", From: "0212345678", Engine: engine.Wrap(mock)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = c.Send(t.Context(), sms("r"))
	e := wantError(t, "refused", err, send.Rejected, send.Refused)
	if e.Code != 2000 || e.Status != 400 || mock.GetTotalCallCount() != 2 {
		t.Errorf("error = %+v after %d calls, want code 2000 and two calls", e, mock.GetTotalCallCount())
	}
}
