package bizppurio_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// TestRate: all calls together keep Config.Rate.
func TestRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &plan{next: fine}
		c := stubbed(t, bizppurio.Config{Rate: 10}, p.roundTrip)
		if err := c.Warm(t.Context()); err != nil { // the token call takes one of the burst of 10
			t.Fatal(err)
		}
		begun := time.Now()
		var wg sync.WaitGroup
		for range 109 {
			wg.Go(func() {
				if _, err := c.Send(t.Context(), sms("")); err != nil {
					t.Errorf("Send = %v, want nil", err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(begun).Round(time.Millisecond); took != 10*time.Second {
			t.Errorf("110 calls at 10/s with a burst of 10 took %v, want 10s", took)
		}
	})
}

// TestRate_givesBack covers cases 69 and 70: a wait that is cancelled or does
// not fit costs the others nothing, and is a refusal of our own.
func TestRate_givesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &plan{next: fine}
		c := stubbed(t, bizppurio.Config{Rate: 1}, p.roundTrip)
		if err := c.Warm(t.Context()); err != nil { // takes the burst
			t.Fatal(err)
		}
		for range 50 {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			begun := time.Now()
			_, err := c.Send(ctx, sms(""))
			cancel()
			e := wantError(t, "does not fit", err, send.NotSent, send.RateLimited)
			if time.Since(begun) != 0 || e.RetryAfter <= 0 || e.RetryAfter > time.Second || e.Status != 0 || e.Code != 0 {
				t.Fatalf("error = %+v after %v, want RetryAfter within 1s, at once", e, time.Since(begun))
			}
		}
		for range 50 {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := c.Send(ctx, sms(""))
				done <- err
			}()
			synctest.Wait()
			cancel()
			wantError(t, "cancelled", <-done, send.NotSent, send.Canceled)
		}
		begun := time.Now()
		if _, err := c.Send(t.Context(), sms("")); err != nil || time.Since(begun) > time.Second {
			t.Errorf("Send = %v after %v, want nil within 1s", err, time.Since(begun))
		}
	})
}

// TestRate_vendor covers cases 67 and 68: after a 429 all callers wait for the
// reset, and then do not rush.
func TestRate_vendor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Time
		limited := true
		p := &plan{next: func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			at = append(at, time.Now())
			if !limited {
				return fine(r)
			}
			resp := respond(r, 429, `{"code":5002}`)
			resp.Header = http.Header{"Ratelimit-Limit": {"100"}, "Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"1.000"}}
			return resp, nil
		}}
		c := stubbed(t, bizppurio.Config{Retry: engine.Retry{Attempts: 1}}, p.roundTrip)
		_, err := c.Send(t.Context(), sms(""))
		e := wantError(t, "429", err, send.NotSent, send.RateLimited)
		if e.RetryAfter != time.Second || !errors.Is(errors.Join(errors.New("x"), err), send.RateLimited) {
			t.Errorf("error = %+v, want RetryAfter 1s and RateLimited", e)
		}
		limited = false
		begun := time.Now()
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := c.Send(t.Context(), sms("")); err != nil {
					t.Errorf("Send = %v, want nil", err)
				}
			})
		}
		wg.Wait()
		for i, when := range at[1:] {
			if when.Sub(begun) < time.Second {
				t.Errorf("request %d came %v after the 429, before the reset", i, when.Sub(begun))
			}
			if i > 0 && when.Sub(at[i]) < 10*time.Millisecond {
				t.Errorf("request %d came %v after the one before, want the vendor's pace of 10ms", i, when.Sub(at[i]))
			}
		}
		advance(time.Minute)
		begun = time.Now()
		for range 50 {
			_, _ = c.Send(t.Context(), sms(""))
		}
		if took := time.Since(begun); took != 0 {
			t.Errorf("after the recovery 50 sends took %v, want no pacing", took)
		}
	})
}

// TestRate_exhausted: an answer that says "none left" holds the next call,
// and a hold that is too long is not sat out.
func TestRate_exhausted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reset := "0.750"
		p := &plan{next: func(r *http.Request) (*http.Response, error) {
			resp := respond(r, 200, `{"code":1000}`)
			resp.Header = http.Header{"Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {reset}}
			return resp, nil
		}}
		c := stubbed(t, bizppurio.Config{}, p.roundTrip)
		if _, err := c.Send(t.Context(), sms("")); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		reset = "86400"
		if _, err := c.Send(t.Context(), sms("")); err != nil || time.Since(begun) != 750*time.Millisecond {
			t.Errorf("Send = %v after %v, want nil after 750ms", err, time.Since(begun))
		}
		begun = time.Now()
		_, err := c.Send(t.Context(), sms(""))
		e := wantError(t, "a day", err, send.NotSent, send.RateLimited)
		if time.Since(begun) != 0 || e.RetryAfter != 24*time.Hour {
			t.Errorf("RetryAfter = %v after %v, want 24h at once", e.RetryAfter, time.Since(begun))
		}
	})
}

// TestAdWindow covers cases 39 and 87: the hours are Korea's, asked at the
// moment of each attempt.
func TestAdWindow(t *testing.T) {
	t.Parallel()
	kst := time.FixedZone("", 9*3600)
	at := func(h, m int, more time.Duration) time.Time {
		return time.Date(2026, 12, 1, h, m, 0, 0, kst).Add(more)
	}
	ad := send.Message{To: "01012345678", Ad: true, Content: send.SMS{Text: "(광고)세일"}}
	brand := send.Message{To: "01012345678", Content: send.BrandMessage{Kind: "ut", SenderKey: "k", BrandMessageType: "FREE", SendTarget: "friend", Text: "소식"}}
	later := ad
	later.At = at(21, 30, 0)
	tomorrow := ad
	tomorrow.At = at(8, 0, 24*time.Hour)
	plain := sms("")
	tests := []struct {
		name    string
		now     time.Time
		message send.Message
		after   time.Duration // of the refusal; negative: sent
	}{
		{"before eight", at(8, 0, -1), ad, 1},
		{"eight", at(8, 0, 0), ad, -1},
		{"just before the end", at(20, 50, -1), ad, -1},
		{"the end", at(20, 50, 0), ad, 11*time.Hour + 10*time.Minute},
		{"plain at night", at(23, 0, 0), plain, -1},
		{"reserved for the night", at(12, 0, 0), later, 0},
		{"reserved for the morning, at night", at(22, 0, 0), tomorrow, -1},
		{"brand message at night", at(20, 50, 0), brand, 11*time.Hour + 10*time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: fine}
				c := stubbed(t, bizppurio.Config{}, p.roundTrip)
				advance(time.Until(tt.now))
				_, err := c.Send(t.Context(), tt.message)
				if tt.after < 0 {
					wantError(t, tt.name, err, send.Accepted, "")
					return
				}
				e := wantError(t, tt.name, err, send.NotSent, send.OutsideWindow)
				if e.RetryAfter != tt.after {
					t.Errorf("RetryAfter = %v, want %v", e.RetryAfter, tt.after)
				}
				if p.requests() != 0 {
					t.Error("the network was touched")
				}
			})
		})
	}
}

// TestAdWindow_edge: neither a retry nor a wait for the rate carries an ad over
// the edge.
func TestAdWindow_edge(t *testing.T) {
	t.Parallel()
	for name, cfg := range map[string]bizppurio.Config{
		"retry": {Retry: engine.Retry{MinWait: 10 * time.Second, MaxWait: 10 * time.Second}},
		"rate":  {Rate: 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: fine}
				c := stubbed(t, cfg, p.roundTrip)
				edge := time.Date(2026, 12, 1, 20, 50, 0, 0, time.FixedZone("", 9*3600))
				advance(time.Until(edge.Add(-time.Second)))
				if name == "retry" {
					p.set(status(503, `{"code":5004}`))
				} else if _, err := c.Send(t.Context(), sms("")); err != nil {
					t.Fatal(err)
				}
				before := p.requests()
				_, err := c.Send(t.Context(), send.Message{To: "01012345678", Ad: true, Content: send.SMS{Text: "(광고)세일"}})
				wantError(t, name, err, send.NotSent, send.OutsideWindow)
				if got := p.requests() - before; name == "rate" && got != 0 || name == "retry" && got != 1 {
					t.Errorf("requests = %d, want none past the edge", got)
				}
			})
		})
	}
}

// TestRate_tokenWait: calls that passed the limiter before there was a token
// obey what the token call's answer said about the limit, and leave one by
// one.
func TestRate_tokenWait(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"refused": 429, "the last one": 200} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				held := begun.Add(time.Hour)
				var mu sync.Mutex
				var at []time.Time
				limits := func(r *http.Request, status int, body string) (*http.Response, error) {
					resp := respond(r, status, body)
					resp.Header = http.Header{"Ratelimit-Limit": {"100"}, "Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"1.000"}}
					return resp, nil
				}
				c := stubbed(t, bizppurio.Config{}, delayed(20*time.Millisecond, func(r *http.Request) (*http.Response, error) {
					mu.Lock()
					defer mu.Unlock()
					now := time.Now()
					switch {
					case r.URL.Path == "/v1/token" && now.Before(held):
						held = now.Add(time.Second)
						return limits(r, status, `{"code":5002,"accesstoken":"t"}`)
					case r.URL.Path == "/v1/token":
						return respond(r, 200, `{"accesstoken":"t"}`), nil
					}
					at = append(at, now)
					if now.Before(held) {
						return limits(r, 429, `{"code":5002}`)
					}
					return fine(r)
				}))
				for r, err := range c.SendAll(t.Context(), recipients(64), send.Batch{Parallel: 64}) {
					if err != nil || r.Attempts != 1 {
						t.Errorf("send %d = %v after %d attempts, want nil after 1", r.Index, err, r.Attempts)
					}
				}
				if len(at) != 64 {
					t.Fatalf("%d requests, want 64", len(at))
				}
				for i := range at[1:] {
					if gap := at[i+1].Sub(at[i]); gap < 10*time.Millisecond {
						t.Fatalf("request %d came %v after the one before, want the vendor's pace of 10ms", i+1, gap)
					}
				}
				if took := time.Since(begun); took > 2*time.Second {
					t.Errorf("it took %v, want about 1.7s", took)
				}
			})
		})
	}
}

// TestRate_tokenWait_tooLong: a hold that is not sat out turns such calls away
// at once, and nobody is taken for under way after it.
func TestRate_tokenWait_tooLong(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		c := stubbed(t, bizppurio.Config{}, func(r *http.Request) (*http.Response, error) {
			resp := respond(r, 200, `{"accesstoken":"t"}`)
			left, reset := "0", "120"
			if r.URL.Path != "/v1/token" {
				resp = respond(r, 200, `{"code":1000}`)
				sent++
				left, reset = strconv.Itoa(3-sent), "60"
			}
			resp.Header = http.Header{"Ratelimit-Limit": {"3"}, "Ratelimit-Remaining": {left}, "Ratelimit-Reset": {reset}}
			return resp, nil
		})
		begun := time.Now()
		for r, err := range c.SendAll(t.Context(), recipients(20), send.Batch{Parallel: 20}) {
			e := wantError(t, "held", err, send.NotSent, send.RateLimited)
			if r.Attempts != 0 || e.RetryAfter != 2*time.Minute || time.Since(begun) != 0 {
				t.Fatalf("error = %+v after %v, want RetryAfter 2m at once", e, time.Since(begun))
			}
		}
		advance(2 * time.Minute)
		begun = time.Now()
		for range 3 {
			if _, err := c.Send(t.Context(), sms("")); err != nil || time.Since(begun) > time.Second {
				t.Errorf("Send = %v after %v, want nil at once", err, time.Since(begun))
			}
		}
	})
}

// TestRate_tokenWait_chargesOnce: it is the vendor's limit alone that such
// calls wait for again.
func TestRate_tokenWait_chargesOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		c := stubbed(t, bizppurio.Config{Rate: 4}, delayed(20*time.Millisecond, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path != "/v1/token" {
				return fine(r)
			}
			resp := respond(r, 200, `{"accesstoken":"t"}`)
			resp.Header = http.Header{"Ratelimit-Limit": {"100"}, "Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"0.250"}}
			return resp, nil
		}))
		for r, err := range c.SendAll(t.Context(), recipients(3), send.Batch{}) {
			if err != nil {
				t.Errorf("send %d = %v, want nil", r.Index, err)
			}
		}
		if took := time.Since(begun); took > 310*time.Millisecond {
			t.Errorf("3 sends after the token took %v, want the hold of 250ms, and the burst of Config.Rate", took)
		}
	})
}

// TestRate_tokenWait_first: the call that fetched the token was let through
// before those that wait for their share of the rate, and does not queue behind
// them.
func TestRate_tokenWait_first(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		login := delayed(100*time.Millisecond, func(r *http.Request) (*http.Response, error) {
			return respond(r, 200, `{"accesstoken":"t"}`), nil
		})
		c := stubbed(t, bizppurio.Config{Rate: 2}, func(r *http.Request) (*http.Response, error) {
			if r.URL.Path == "/v1/token" {
				return login(r)
			}
			return fine(r)
		})
		begun := time.Now()
		var wg sync.WaitGroup
		for i := range 12 {
			wg.Go(func() {
				ctx := t.Context()
				if i == 0 {
					short, cancel := context.WithTimeout(ctx, 3*time.Second)
					defer cancel()
					ctx = short
				}
				if _, err := c.Send(ctx, sms("")); err != nil {
					t.Errorf("send %d = %v, want nil", i, err)
				}
				if took := time.Since(begun); i == 0 && took != 100*time.Millisecond {
					t.Errorf("the first took %v, want 100ms", took)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
	})
}

// TestRate_deadline: a wait that outlasts the caller's deadline is a rate
// limit, also where that was not known before; one that the caller cancels is
// not.
func TestRate_deadline(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		context func(context.Context) (context.Context, context.CancelFunc)
		reason  send.Reason
		cause   error
		after   time.Duration
	}{
		{"deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, send.RateLimited, context.DeadlineExceeded, 59 * time.Second},
		{"deadline with a cause", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeoutCause(ctx, time.Second, errUnsent)
		}, send.RateLimited, errUnsent, 59 * time.Second},
		{"cancelled", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			time.AfterFunc(time.Second, cancel)
			return ctx, cancel
		}, send.Canceled, context.Canceled, 0},
	}
	for _, queued := range []bool{false, true} {
		for _, tt := range tests {
			t.Run(tt.name+" queued "+strconv.FormatBool(queued), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					last := func(r *http.Request) (*http.Response, error) {
						resp := respond(r, 200, `{"code":1000}`)
						resp.Header = http.Header{"Ratelimit-Limit": {"10"}, "Ratelimit-Remaining": {"1"}, "Ratelimit-Reset": {"60"}}
						return resp, nil
					}
					p := &plan{next: last}
					c := stubbed(t, bizppurio.Config{}, p.roundTrip)
					if _, err := c.Send(t.Context(), sms("")); err != nil {
						t.Fatal(err)
					}
					p.set(delayed(5*time.Second, fine)) // may tell that there is room; so the next one waits
					others := 1
					if queued {
						others++
					}
					for range others {
						go func() { _, _ = c.Send(t.Context(), sms("")) }()
						synctest.Wait()
					}
					ctx, cancel := tt.context(t.Context())
					defer cancel()
					begun := time.Now()
					_, err := c.Send(ctx, sms(""))
					e := wantError(t, tt.name, err, send.NotSent, tt.reason)
					if !errors.Is(err, ctx.Err()) || !errors.Is(err, tt.cause) || e.RetryAfter < tt.after || e.RetryAfter > 70*time.Second {
						t.Errorf("error = %+v, want %v, and RetryAfter %v", e, tt.cause, tt.after)
					}
					if took := time.Since(begun); took != time.Second {
						t.Errorf("it took %v, want 1s", took)
					}
					advance(2 * time.Minute)
				})
			})
		}
	}
}

// pooling is an engine that says that it has a pool.
type pooling struct {
	engine.Engine
}

func (pooling) Stats() engine.Stats { return engine.Stats{} }

// TestAdWindow_connection: a wait for a connection does not carry an ad over
// the edge either; one that has a connection by then runs to its end.
func TestAdWindow_connection(t *testing.T) {
	t.Parallel()
	edge := time.Date(2026, 12, 1, 20, 50, 0, 0, time.FixedZone("", 9*3600))
	ad := send.Message{To: "01012345678", Ad: true, Content: send.SMS{Text: "(광고)세일"}}
	reserved := ad
	reserved.At = edge.Add(12 * time.Hour)
	full := func(r *http.Request) (*http.Response, error) { // for ten seconds
		if err := pause(r.Context(), 10*time.Second); err != nil {
			return nil, &engine.Error{Phase: engine.Acquire, Unsent: true, Err: err}
		}
		return fine(r)
	}
	slow := func(r *http.Request) (*http.Response, error) {
		httptrace.ContextClientTrace(r.Context()).GotConn(httptrace.GotConnInfo{})
		return delayed(10*time.Second, fine)(r)
	}
	slowFor := func(d time.Duration) func(r *http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			if err := pause(r.Context(), d); err != nil {
				return nil, &engine.Error{Phase: engine.Acquire, Unsent: true, Err: err}
			}
			return slow(r)
		}
	}
	tests := []struct {
		name    string
		message send.Message
		pool    bool
		next    func(*http.Request) (*http.Response, error)
		reason  send.Reason // "": sent
		took    time.Duration
	}{
		{"no connection", ad, true, full, send.OutsideWindow, time.Second},
		{"a connection just in time", ad, true, slowFor(time.Second - 1), "", 11*time.Second - 1},
		{"a connection just too late", ad, true, slowFor(time.Second + 1), send.OutsideWindow, time.Second},
		{"no ad", sms(""), true, full, "", 10 * time.Second},
		{"reserved for the next day", reserved, true, full, "", 10 * time.Second},
		{"an engine that does not tell", ad, false, delayed(10*time.Second, fine), "", 10 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &plan{next: fine}
				e := engine.Wrap(roundTrip(p.roundTrip))
				if tt.pool {
					e = pooling{e}
				}
				c, err := bizppurio.New(bizppurio.Config{Account: "acct01", Password: "pw", From: "0212345678", Engine: e})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = c.Close() })
				advance(time.Until(edge.Add(-time.Minute)))
				if err := c.Warm(t.Context()); err != nil {
					t.Fatal(err)
				}
				advance(time.Until(edge.Add(-time.Second)))
				p.set(tt.next)
				begun := time.Now()
				r, err := c.Send(t.Context(), tt.message)
				if took := time.Since(begun); took != tt.took || r.Attempts != 1 {
					t.Errorf("Send took %v and %d attempts, want %v and 1", took, r.Attempts, tt.took)
				}
				if tt.reason == "" {
					wantError(t, tt.name, err, send.Accepted, "")
					return
				}
				e2 := wantError(t, tt.name, err, send.NotSent, tt.reason)
				if want := 11*time.Hour + 10*time.Minute; e2.RetryAfter != want || errors.Is(err, context.Canceled) {
					t.Errorf("error = %+v, want RetryAfter %v and no context error", e2, want)
				}
			})
		})
	}
}

// TestAdWindow_pool is the same with the pool itself, given and the Client's
// own.
func TestAdWindow_pool(t *testing.T) {
	t.Parallel()
	for _, owned := range []bool{true, false} {
		t.Run("owned "+strconv.FormatBool(owned), func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t)
			arrived, answer := make(chan struct{}), make(chan struct{})
			release := sync.OnceFunc(func() { close(answer) })
			t.Cleanup(release)
			s.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, _ *http.Request) {
				close(arrived)
				<-answer
				_, _ = w.Write([]byte(`{"code":1000}`))
			})
			// It is noon, somewhere, and the window closes soon.
			midday := 12*time.Hour - time.Duration(time.Now().UnixNano())%(24*time.Hour)
			zone := time.FixedZone("", int(midday/time.Second))
			c := newClient(t, s, func(cfg *bizppurio.Config) {
				cfg.AdWindow = send.Window{Open: 11 * time.Hour, Close: 12*time.Hour + 1500*time.Millisecond, Zone: zone}
				cfg.Pool.MaxConns, cfg.Pool.AcquireTimeout = 1, 10*time.Second
				if !owned {
					e := engine.New(cfg.Pool)
					t.Cleanup(func() { _ = e.Close() })
					cfg.Engine, cfg.Pool = e, engine.Config{}
				}
			})
			held := make(chan error, 1)
			go func() {
				_, err := c.Send(t.Context(), sms("held"))
				held <- err
			}()
			<-arrived
			_, err := c.Send(t.Context(), send.Message{To: "01012345678", RefKey: "ad", Ad: true, Content: send.SMS{Text: "(광고)세일"}})
			wantError(t, "ad", err, send.NotSent, send.OutsideWindow)
			release()
			if err := <-held; err != nil {
				t.Errorf("the message before it = %v, want nil", err)
			}
			if got := s.Seen("ad"); got != 0 {
				t.Errorf("the ad was seen %d times, want 0", got)
			}
		})
	}
}

// TestAdWindow_redial: an advertisement whose first connection turned out to be
// of no use waits for another, and not beyond the edge.
func TestAdWindow_redial(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t)
	s.Respond(bizppuriotest.PathMessage, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"code":1000,"refkey":"foreign"}`)) // such a connection is not used again
	})
	midday := 12*time.Hour - time.Duration(time.Now().UnixNano())%(24*time.Hour)
	zone := time.FixedZone("", int(midday/time.Second))
	dialled := make(chan struct{}, 2)
	c := newClient(t, s, func(cfg *bizppurio.Config) {
		cfg.AdWindow = send.Window{Open: 11 * time.Hour, Close: 12*time.Hour + 1500*time.Millisecond, Zone: zone}
		cfg.Pool.MaxConns, cfg.Pool.DialTimeout = 1, 20*time.Second
		cfg.Pool.Proxy = func(r *http.Request) (*url.URL, error) {
			dialled <- struct{}{}
			if len(dialled) == 2 {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return nil, nil //nolint:nilnil // no proxy
		}
	})
	_, err := c.Send(t.Context(), sms(""))
	wantError(t, "first", err, send.Unknown, send.BadResponse)
	_, err = c.Send(t.Context(), send.Message{To: "01012345678", RefKey: "ad", Ad: true, Content: send.SMS{Text: "(광고)세일"}})
	wantError(t, "ad", err, send.NotSent, send.OutsideWindow)
	if got := s.Seen("ad"); got != 0 || len(dialled) != 2 {
		t.Errorf("the ad was seen %d times, %d connections were dialled, want 0 and 2", got, len(dialled))
	}
}
