package report_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/report"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

const pushBody = `{"DEVICE":"SMS","CMSGID":"260429185700123#sms027420abcdefgh","MSGID":"m-1","PHONE":"01098765432","MEDIA":"SMS","UNIXTIME":"1777456620","RESULT":"4100","TO_NAME":"홍길동","REFKEY":"order-canary-77"}`

func push(id, result string) string {
	return fmt.Sprintf(`{"MSGID":%q,"MEDIA":"SMS","RESULT":%q,"REFKEY":"order-0001"}`, id, result)
}

// webhook is a Handler behind a real server.
type webhook struct {
	url    string
	client *http.Client
	errs   *lockedBuffer // what the http.Server logged
}

func serve(t *testing.T, c report.Config, fn func(context.Context, report.Report) error) *webhook {
	t.Helper()
	errs := new(lockedBuffer)
	srv := httptest.NewUnstartedServer(report.Handler(c, fn))
	srv.Config.ErrorLog = log.New(errs, "", 0) //nolint:forbidigo // net/http wants one
	srv.Start()
	transport := &http.Transport{}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		srv.Close()
	})
	return &webhook{url: srv.URL, client: &http.Client{Transport: transport, Timeout: patience}, errs: errs}
}

// post returns the status of one push.
func (h *webhook) post(t *testing.T, path, body string) int {
	t.Helper()
	status, err := h.send(t.Context(), path, body)
	if err != nil {
		t.Fatal(err)
	}
	return status
}

func (h *webhook) send(ctx context.Context, path, body string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func wait(t *testing.T, ch <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(patience): //nolint:forbidigo // a test's patience
		t.Fatalf("waited in vain: %s", what)
	}
}

func TestHandler_OK(t *testing.T) {
	t.Parallel()
	got := make(chan report.Report, 1)
	h := serve(t, report.Config{}, func(ctx context.Context, r report.Report) error {
		if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > time.Minute {
			t.Errorf("deadline %v, %t, want one within a minute", deadline, ok)
		}
		got <- r
		return nil
	})
	if status := h.post(t, "/bizppurio", pushBody); status != http.StatusOK {
		t.Fatalf("status = %d, want 200", status)
	}
	if r := <-got; r.RefKey != "order-canary-77" || r.Status() != report.Delivered {
		t.Errorf("got %q %s, want order-canary-77 delivered", r.RefKey, r.Status())
	}
}

// Each refusal, and that the function never hears of it.
func TestHandler_Refuses(t *testing.T) {
	t.Parallel()
	big := `{"MSGID":"m","X":"` + strings.Repeat("x", 1000) + `"}`
	tests := []struct {
		name         string
		config       report.Config
		method, path string
		body         io.Reader
		header       [2]string
		want         int
	}{
		{"get", report.Config{}, "GET", "/", nil, [2]string{}, 405},
		{"head", report.Config{}, "HEAD", "/", nil, [2]string{}, 405},
		{"put", report.Config{}, "PUT", "/", strings.NewReader(pushBody), [2]string{}, 405},
		{"empty", report.Config{}, "POST", "/", nil, [2]string{}, 400},
		{"form", report.Config{}, "POST", "/", strings.NewReader("MSGID=m&RESULT=4100"), [2]string{}, 400},
		{"something else", report.Config{}, "POST", "/", strings.NewReader(`{"hello":"world"}`), [2]string{}, 400},
		{"an envelope without entries", report.Config{}, "POST", "/", strings.NewReader(`{"code":1000,"report":[]}`), [2]string{}, 400},
		{"an envelope without reports", report.Config{}, "POST", "/", strings.NewReader(`{"code":1000}`), [2]string{}, 400},
		{"an envelope of nulls", report.Config{}, "POST", "/", strings.NewReader(`{"report":[null],"code":"1000"}`), [2]string{}, 400},
		{"an empty array", report.Config{}, "POST", "/", strings.NewReader(`[]`), [2]string{}, 400},
		{"a refused envelope", report.Config{}, "POST", "/", strings.NewReader(`{"code":3004}`), [2]string{}, 400},
		{"gzip", report.Config{}, "POST", "/", strings.NewReader(pushBody), [2]string{"Content-Encoding", "gzip"}, 415},
		{"too large", report.Config{MaxBody: int64(len(big)) - 1}, "POST", "/", strings.NewReader(big), [2]string{}, 413},
		{"too large, no length", report.Config{MaxBody: int64(len(big)) - 1}, "POST", "/", io.MultiReader(strings.NewReader(big)), [2]string{}, 413},
		{"too large by default", report.Config{}, "POST", "/", strings.NewReader(strings.Repeat(" ", 64<<10) + "1"), [2]string{}, 413},
		{"no secret", report.Config{Secret: canarySecret}, "POST", "/", strings.NewReader(pushBody), [2]string{}, 404},
		{"wrong secret", report.Config{Secret: canarySecret}, "POST", "/x/" + canarySecret[1:], strings.NewReader(pushBody), [2]string{}, 404},
		{"secret in the middle", report.Config{Secret: canarySecret}, "POST", "/" + canarySecret + "/x", strings.NewReader(pushBody), [2]string{}, 404},
		{"secret as another parameter", report.Config{Secret: canarySecret}, "POST", "/?key=" + canarySecret, strings.NewReader(pushBody), [2]string{}, 404},
		{"secret in a header", report.Config{Secret: canarySecret}, "POST", "/", strings.NewReader(pushBody), [2]string{"Secret", canarySecret}, 404},
		{"address", report.Config{AllowFrom: prefixes("192.0.2.0/24")}, "POST", "/", strings.NewReader(pushBody), [2]string{}, 403},
		{"address by a header of its own", report.Config{AllowFrom: prefixes("192.0.2.0/24")}, "POST", "/", strings.NewReader(pushBody), [2]string{"X-Forwarded-For", "192.0.2.1"}, 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := serve(t, tt.config, func(context.Context, report.Report) error {
				t.Error("the function was called")
				return nil
			})
			req, err := http.NewRequestWithContext(t.Context(), tt.method, h.url+tt.path, tt.body)
			if err != nil {
				t.Fatal(err)
			}
			if tt.header[0] != "" {
				req.Header.Set(tt.header[0], tt.header[1])
			}
			resp, err := h.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if resp.StatusCode != tt.want {
				t.Errorf("status = %d, want %d", resp.StatusCode, tt.want)
			}
			if allow := resp.Header.Get("Allow"); tt.want == 405 && allow != "POST" {
				t.Errorf("Allow = %q, want POST", allow)
			}
		})
	}
}

func TestHandler_Accepts(t *testing.T) {
	t.Parallel()
	exact := `{"MSGID":"m","X":"` + strings.Repeat("x", 1000) + `"}`
	tests := []struct {
		name   string
		config report.Config
		path   string
		body   string
	}{
		{"anyone", report.Config{}, "/", pushBody},
		{"secret in the path", report.Config{Secret: canarySecret}, "/a/b/" + canarySecret, pushBody},
		{"secret and a slash", report.Config{Secret: canarySecret}, "/a/" + canarySecret + "/", pushBody},
		{"secret in the query", report.Config{Secret: canarySecret}, "/a?x=1&secret=" + canarySecret, pushBody},
		{"secret that needs escaping", report.Config{Secret: "a/b c?한"}, "/x/a%2Fb%20c%3F%ED%95%9C", pushBody},
		{"exactly MaxBody", report.Config{MaxBody: int64(len(exact))}, "/", exact},
		{"negative settings are zero", report.Config{MaxBody: -1, Remember: -1}, "/", pushBody},
		{"address", report.Config{AllowFrom: prefixes("127.0.0.0/8", "::1/128")}, "/", pushBody},
		{"envelope", report.Config{}, "/", `{"code":1000,"report":[` + pushBody + `]}`},
		{"array", report.Config{}, "/", `[` + pushBody + `,` + push("m-2", "4100") + `]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := serve(t, tt.config, func(context.Context, report.Report) error { return nil })
			if status := h.post(t, tt.path, tt.body); status != http.StatusOK {
				t.Errorf("status = %d, want 200", status)
			}
		})
	}
}

// A body that breaks off is no report.
func TestHandler_BodyBreaksOff(t *testing.T) {
	t.Parallel()
	h := serve(t, report.Config{}, func(context.Context, report.Report) error {
		t.Error("the function was called")
		return nil
	})
	addr := strings.TrimPrefix(h.url, "http://")
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(pushBody)+1, pushBody)
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.CloseWrite()
	}
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(answer, []byte(" 400 ")) {
		t.Errorf("answer %.60q, want 400", answer)
	}
}

func TestHandler_NilFunction(t *testing.T) {
	t.Parallel()
	h := serve(t, report.Config{}, nil)
	if status := h.post(t, "/", pushBody); status != http.StatusInternalServerError {
		t.Errorf("status = %d, want 500", status)
	}
}

// The log says once that there is no secret, and never a number or a name
// (case 71).
func TestHandler_Log(t *testing.T) {
	t.Parallel()
	logged := new(lockedBuffer)
	logger := slog.New(slog.NewJSONHandler(logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	h := serve(t, report.Config{Logger: logger}, func(context.Context, report.Report) error {
		return fmt.Errorf("cannot store %s", canaryNumber)
	})
	for range 3 {
		h.post(t, "/", strings.ReplaceAll(pushBody, `"SMS"`, `"`+canaryNumber+`"`))
		h.post(t, "/", "PHONE="+canaryNumber)
		h.post(t, "/"+canarySecret+"?secret="+canarySecret, "")
	}
	text := logged.String()
	if n := strings.Count(text, "without a secret"); n != 1 {
		t.Errorf("%d warnings about the secret, want 1", n)
	}
	for _, want := range []string{"report function failed", "body is no report", "refused"} {
		if !strings.Contains(text, want) {
			t.Errorf("log lacks %q", want)
		}
	}
	for _, canary := range []string{canaryNumber, canaryName, canaryRefKey, canarySecret} {
		if strings.Contains(text, canary) {
			t.Errorf("log holds %q:\n%s", canary, text)
		}
	}

	quiet := new(lockedBuffer)
	logger = slog.New(slog.NewTextHandler(quiet, nil))
	report.Handler(report.Config{Secret: canarySecret, Logger: logger}, nil)
	report.Handler(report.Config{AllowFrom: prefixes("192.0.2.0/24"), Logger: logger}, nil)
	report.Handler(report.Config{Secret: canarySecret, AllowFrom: prefixes("192.0.2.0/24"), Logger: logger}, nil)
	if s := quiet.String(); s != "" {
		t.Errorf("log with a secret or a list of addresses = %q, want none", s)
	}
}
