package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the example, running.
type program struct {
	url  string
	out  *output
	stop func() // and wait for its end
}

// output is what the program prints.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func start(t *testing.T, otlp string) *program {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p := &program{url: "http://" + listener.Addr().String() + "/metrics", out: &output{}}
	ended := make(chan error, 1)
	go func() { ended <- run(ctx, p.out, listener, otlp) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("run() = %v, want nil", err)
		}
	})
	t.Cleanup(p.stop)
	return p
}

// eventually asks until it is true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("%s did not come", what)
		}
	}
}

func (p *program) scrape(t *testing.T) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", resp.StatusCode, err)
	}
	return string(body)
}

// TestMetrics: the endpoint has the series that an operator asks for, and the
// dashboard asks for none that it lacks.
func TestMetrics(t *testing.T) {
	t.Parallel()
	p := start(t, "")
	var scraped string
	for _, series := range []string{
		`bizppurio_send_duration_seconds_count{bizppurio_channel="sms",bizppurio_outcome="accepted",`,
		`bizppurio_send_duration_seconds_count{bizppurio_channel="sms",bizppurio_outcome="rejected",error_type="invalid",`,
		`bizppurio_send_duration_seconds_count{bizppurio_channel="sms",bizppurio_outcome="rejected",error_type="refused",`,
		`bizppurio_send_duration_seconds_count{bizppurio_channel="sms",bizppurio_outcome="unknown",error_type="connection_lost",`,
		`bizppurio_send_duration_seconds_count{bizppurio_channel="sms",bizppurio_outcome="unknown",error_type="vendor_fault",`,
		`http_client_request_duration_seconds_count{error_type="busy",`,
		`http_client_request_duration_seconds_bucket{http_request_method="POST",`,
		`http_client_connection_duration_seconds_count{`,
		`http_client_open_connections{http_connection_state="idle",`,
		`bizppurio_circuit_breaker_state{bizppurio_breaker="send",`,
		`bizppurio_circuit_breaker_state{bizppurio_breaker="token",`,
		`bizppurio_token_refresh_duration_seconds_count{`,
	} {
		eventually(t, series, func() bool {
			scraped = p.scrape(t)
			return strings.Contains(scraped, series)
		})
	}
	exported := map[string]bool{}
	for line := range strings.Lines(scraped) {
		if name, _, ok := strings.Cut(line, "{"); ok {
			exported[name] = true
		}
	}
	asked := dashboard(t)
	for _, name := range asked {
		if !exported[name] {
			t.Errorf("the dashboard asks for %s, which is not exported", name)
		}
	}
	if len(asked) < 8 {
		t.Errorf("the dashboard asks for %v only", asked)
	}
	p.stop()
	for _, secret := range []string{"01012345678", "010-1234-5678", "인증번호", "bizppuriotest-password"} {
		if strings.Contains(scraped+p.out.String(), secret) {
			t.Errorf("%q is seen", secret)
		}
	}
}

// dashboard returns the names of the metrics in the Grafana dashboard.
func dashboard(t *testing.T) (names []string) {
	t.Helper()
	data, err := os.ReadFile("dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &board); err != nil {
		t.Fatalf("dashboard.json: %v", err)
	}
	ids := map[int]bool{}
	metric := regexp.MustCompile(`\b(bizppurio|http_client)_[a-z_]+`)
	label := regexp.MustCompile(`(\bby \([^)]*\))|\{[^}]*\}`)
	for _, p := range board.Panels {
		if ids[p.ID] || p.Title == "" || len(p.Targets) == 0 {
			t.Errorf("panel %d %q: want an id of its own, a title and a query", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			names = append(names, metric.FindAllString(label.ReplaceAllString(target.Expr, ""), -1)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// TestTrace: the trace in the README is what the program prints, but for the
// times.
func TestTrace(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```text\n")
	shown, _, closed := strings.Cut(rest, "```")
	if !ok || !closed || !strings.Contains(shown, "resend=1") {
		t.Fatal("README.md shows no trace of a send with a retry")
	}
	p := start(t, "")
	var printed string
	eventually(t, "a trace with a retry", func() bool {
		for trace := range strings.SplitSeq(p.out.String(), "\n\n") {
			if strings.Contains(trace, "error=busy") && strings.Contains(trace, "resend=1") {
				printed = trace
				return true
			}
		}
		return false
	})
	if got, want := timeless(printed), timeless(shown); got != want {
		t.Errorf("the program prints\n%s\nand README.md shows\n%s", got, want)
	}
}

// timeless replaces times and the space before them.
func timeless(trace string) string {
	return regexp.MustCompile(` *\d+\.\d`).ReplaceAllString(strings.TrimSpace(trace), "#")
}

// TestOTLP: with -otlp the traces go to the collector.
func TestOTLP(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got []byte
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/v1/traces" {
			got = append(got, body...)
		}
	}))
	t.Cleanup(collector.Close)
	p := start(t, collector.URL+"/v1/traces")
	eventually(t, "a scrape with a send", func() bool { return strings.Contains(p.scrape(t), `bizppurio_outcome="accepted"`) })
	p.stop() // exports the rest
	mu.Lock()
	defer mu.Unlock()
	for _, name := range []string{"bizppurio.send", "bizppurio.token", "POST /v3/message", "telemetry-example"} {
		if !strings.Contains(string(got), name) {
			t.Errorf("the collector did not hear of %s", name)
		}
	}
	if p.out.String() != "" {
		t.Errorf("printed %q as well, want nothing", p.out.String())
	}
}
