package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/report"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// Statements of these functions stand in README.md too; readme_test.go
// compares.

func alimTalk(ctx context.Context, client send.Sender, to string) error {
	template := send.Template{
		SenderKey: "SENDERKEY", Code: "SHIP01",
		Text:    "#{이름}님, 상품이 발송되었습니다.\n운송장: #{운송장}",
		Buttons: []send.Button{{Name: "배송 조회", Type: send.WebLink, URLMobile: "https://example.com/#{운송장}"}},
	}
	alimtalk, err := template.Render(map[string]string{"이름": "홍길동", "운송장": "1234567890"})
	if err != nil {
		return err // a variable is missing, or left over
	}
	fallback := []send.Content{send.LMS{Subject: "배송 안내", Text: alimtalk.Text}}
	_, err = client.Send(ctx, send.Message{To: to, Content: alimtalk, Fallback: fallback})
	return err
}

func TestAlimTalk(t *testing.T) {
	t.Parallel()
	if err := alimTalk(t.Context(), &bizppuriotest.Fake{}, "010-0000-0000"); err != nil {
		t.Error(err)
	}
}

func text(ctx context.Context, client *bizppurio.Client, to string, jpeg io.Reader, long string, tomorrow time.Time) error {
	image, err := client.UploadImage(ctx, send.Upload{Name: "menu.jpg", JPEG: jpeg, At: tomorrow})
	if err != nil {
		return err
	}
	contents := []send.Content{
		send.SMS{Text: "인증번호는 123456 입니다."},                              // 90 bytes of EUC-KR
		send.LMS{Subject: "안내", Text: long},                              // 2,000 bytes
		send.MMS{Subject: "메뉴", Text: long, Images: []send.Image{image}}, // 1 to 3 pictures
	}
	for _, content := range contents {
		if _, err := client.Send(ctx, send.Message{To: to, At: tomorrow, Content: content}); err != nil {
			return err
		}
	}
	return nil
}

func TestText(t *testing.T) {
	t.Parallel()
	err := text(t.Context(), newClient(t), "010-0000-0000", tinyJPEG(), strings.Repeat("긴 글 ", 100), time.Now().Add(24*time.Hour))
	if err != nil {
		t.Error(err)
	}
}

func TestOtherChannels(t *testing.T) {
	t.Parallel()
	client := &bizppuriotest.Fake{AdWindow: send.Window{Close: 24 * time.Hour}}
	to := "010-0000-0000"

	body := map[string]string{"description": "안내드립니다."}
	messages := []send.Message{
		{To: to, Content: send.BrandMessage{Kind: "ut", SenderKey: "SENDERKEY", BrandMessageType: "FREE", SendTarget: "friend", Text: "새 소식"}},
		{To: to, Content: send.RCS{MessageBaseID: "SS000000", ChatbotID: "0212345678", Header: "0", Message: body}},
		{To: to, Content: send.TalkTalk{PartnerID: "PARTNER", PartnerKey: "KEY", ProductCode: "INFORMATION", TemplateCode: "T01", Text: "안내"}},
		{To: "2025550123", Country: "1", Content: send.SMS{Text: "Your code is 123456."}},
		{To: to, Content: send.Raw{Type: "new", JSON: json.RawMessage(`{"message":"what comes after this release"}`)}},
	}
	for i, m := range messages {
		if _, err := client.Send(t.Context(), m); err != nil {
			t.Errorf("messages[%d]: %v", i, err)
		}
	}
}

// TestBatch: the account is refused in the midst of many sends, and the
// application hears of every one that left.
func TestBatch(t *testing.T) {
	t.Parallel()
	vendor := bizppuriotest.NewServer(t, bizppuriotest.WithLatency(0, 20*time.Millisecond))
	client, ctx, stored := clientOf(t, vendor), t.Context(), 0
	store := func(send.Receipt, error) { stored++ }
	content, err := send.Encode(send.SMS{Text: "점검 안내"})
	if err != nil {
		t.Fatal(err)
	}
	many := slices.Repeat([]send.Message{{To: "010-0000-1006", Content: content}}, 100)
	many[20].To = "010-0000-3007" // the account is not permitted
	messages := slices.Values(many)

	batch := send.Batch{Parallel: 16, Done: store} // of each send, also after break; Receipt.Index is the place in messages
	for _, err := range client.SendAll(ctx, messages, batch) {
		if send.AccountRefused(err) {
			break // every message would be refused: keep the rest
		}
	}

	if sent := vendor.Requests(bizppuriotest.PathMessage); stored != sent || sent < 21 || sent == 100 {
		t.Errorf("%d results stored, %d messages sent, want as many, and not all", stored, sent)
	}
}

func TestReports(t *testing.T) {
	t.Parallel()
	secret, mux, store := "a-long-secret", http.NewServeMux(), func(context.Context, report.Report) error { return nil }

	mux.Handle("POST /bizppurio/{secret}", report.Handler(report.Config{Secret: secret},
		func(ctx context.Context, r report.Report) error {
			return store(ctx, r) // the vendor hears 200 only after nil; the same report may come twice
		}))

	answer := httptest.NewRecorder()
	push := strings.NewReader(`{"DEVICE":"SMS","CMSGID":"1","MSGID":"2","PHONE":"01000000000","MEDIA":"SMS","UNIXTIME":"1777456620","RESULT":"4100","REFKEY":"r-1"}`)
	mux.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/bizppurio/"+secret, push))
	if answer.Code != http.StatusOK {
		t.Errorf("push = %d, want 200", answer.Code)
	}
}

func TestTracker(t *testing.T) {
	t.Parallel()
	ctx, client := t.Context(), &bizppuriotest.Fake{}
	m := send.Message{To: "010-1234-5678", Content: send.SMS{Text: "주문이 접수되었습니다."}}
	tracker := report.NewTracker(report.TrackerConfig{})
	client.Respond(func(m send.Message) error { // the answer is lost, the report comes
		tracker.Add(report.Report{RefKey: m.RefKey, MessageID: "1", Result: report.Result{Family: report.SMS, Code: 4100}})
		return send.Timeout
	})
	settled := report.Uncertain
	settle := func(_ string, status report.Status, _ error) { settled = status }

	m.RefKey = send.NewRefKey()                // stored with the order
	tracker.Begin(m.RefKey, 1+len(m.Fallback)) // before the send: a report may overtake the answer
	if _, err := client.Send(ctx, m); send.OutcomeOf(err) == send.Unknown {
		status, err := tracker.Wait(ctx, m.RefKey) // the webhook calls tracker.Add
		settle(m.RefKey, status, err)              // delivered or failed; an error means still uncertain
	}

	if settled != report.Delivered {
		t.Errorf("settled as %v, want delivered", settled)
	}
}

func TestFake(t *testing.T) {
	t.Parallel()
	app := func(s send.Sender) error {
		_, err := s.Send(t.Context(), send.Message{To: "010-1234-5678", Content: send.SMS{Text: "주문이 접수되었습니다."}})
		return err
	}

	fake := &bizppuriotest.Fake{}  // as strict as the vendor
	fake.Script(nil, send.Timeout) // accepted, then Unknown
	if err := app(fake); err != nil {
		t.Error(err)
	}
	if err := app(fake); send.OutcomeOf(err) != send.Unknown {
		t.Errorf("app = %v, want an unknown outcome", err)
	}
	fake.AssertTo(t, "010-1234-5678", 1)
}

func newClient(t *testing.T) *bizppurio.Client {
	t.Helper()
	return clientOf(t, bizppuriotest.NewServer(t))
}

func clientOf(t *testing.T, vendor *bizppuriotest.Server) *bizppurio.Client {
	t.Helper()
	client, err := bizppurio.New(bizppurio.Config{
		Account: vendor.Account(), Password: vendor.Password(), From: "0212345678",
		BaseURL: vendor.URL(), Pool: engine.Config{TLS: vendor.TLSConfig()},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// tinyJPEG is as much of a picture as the vendor's simulation looks at.
func tinyJPEG() *bytes.Reader {
	return bytes.NewReader([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xd9"))
}
