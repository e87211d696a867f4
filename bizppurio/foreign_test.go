package bizppurio_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestForeign_causes: the caller leaves because something else failed unsent,
// as errgroup does it, while the vendor has the message. That proves nothing
// about the message, whichever engine carries it.
func TestForeign_causes(t *testing.T) {
	t.Parallel()
	for how, newEngine := range map[string]func(engine.Config) (engine.Engine, func()){
		"New": func(cfg engine.Config) (engine.Engine, func()) { return engine.New(cfg), func() {} },
		"Wrap": func(cfg engine.Config) (engine.Engine, func()) {
			tr := &http.Transport{TLSClientConfig: cfg.TLS}
			return engine.Wrap(tr), tr.CloseIdleConnections
		},
		"bare": func(cfg engine.Config) (engine.Engine, func()) {
			tr := &http.Transport{TLSClientConfig: cfg.TLS}
			return bare{tr.RoundTrip}, tr.CloseIdleConnections
		},
	} {
		for name, lie := range lies() {
			t.Run(how+"/"+name, func(t *testing.T) {
				t.Parallel()
				s := bizppuriotest.NewServer(t)
				ctx, cancel := context.WithCancelCause(t.Context())
				s.Respond(bizppuriotest.PathMessage, func(_ http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					cancel(lie)
					<-r.Context().Done()
					panic(http.ErrAbortHandler) // an answer could overtake the end of the connection
				})
				e, end := newEngine(engine.Config{TLS: s.TLSConfig()})
				defer end()
				defer e.Close()
				c := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Engine, cfg.Pool = e, engine.Config{} })
				r, err := c.Send(ctx, sms("r"))
				wantError(t, name, err, send.Unknown, send.Interrupted)
				if r.Attempts != 1 || s.Requests(bizppuriotest.PathMessage) != 1 {
					t.Errorf("%d attempts, %d requests, want 1 and 1", r.Attempts, s.Requests(bizppuriotest.PathMessage))
				}
				for _, want := range []error{context.Canceled, lie} {
					if !errors.Is(err, want) {
						t.Errorf("errors.Is(%v, %v) = false, want true", err, want)
					}
				}
			})
		}
	}
}

// TestClose_dialling: Close ends the dial of an engine of the Client's own at
// once. The listener accepts and never speaks TLS.
func TestClose_dialling(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{})
	hang := newFront(t, hangAfterByte(sync.OnceFunc(func() { close(reached) })))
	s := bizppuriotest.NewServer(t)
	c, err := bizppurio.New(bizppurio.Config{
		Account: s.Account(), Password: s.Password(), BaseURL: "https://" + hang.addr, From: "0212345678", Tokens: tokenOf(t, s),
		AttemptTimeout: time.Hour, Pool: engine.Config{DialTimeout: time.Hour},
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-reached
		_ = c.Close()
	}()
	_, err = c.Send(t.Context(), sms("r"))
	wantError(t, "a dial", err, send.NotSent, send.Closed)
	if err := c.Close(); err != nil { // waits for the first
		t.Errorf("Close() = %v, want nil", err)
	}
}
