package bizppurio_test

import (
	"bytes"
	"flag"
	"io"
	"iter"
	"math"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

var campaignSends = flag.Int("campaign.sends", 1000, "messages of TestCampaign; 10000 is the long form")

// The evening of a shop: round trips of 10 ms, 18 ms of service.
const (
	campaignParallel = 64
	campaignTurn     = 28 * time.Millisecond
	campaignTimeout  = time.Second
)

// TestCampaign sends many messages through the Server, and holds the time
// against a bare net/http client that does the same in the same run.
//
//	go test ./bizppurio -run TestCampaign$ -v -campaign.sends 10000
func TestCampaign(t *testing.T) { //nolint:paralleltest // measures time and heap
	n := *campaignSends
	ideal := idealCampaign(n, 0)
	newVendor := func(t *testing.T) *faraway { return startFaraway(t, 10*time.Millisecond, 18*time.Millisecond) }
	bare := bareCampaign(t, newVendor(t), n)
	t.Logf("%d messages, ideal %v: bare net/http %v (%.3f)", n, ideal, bare.Round(time.Millisecond), ratio(bare, ideal))

	var plain time.Duration
	t.Run("plain", func(t *testing.T) { //nolint:paralleltest // measures
		s := newVendor(t)
		c := newClient(t, s, func(cfg *bizppurio.Config) { cfg.Pool.MaxConns = campaignParallel })
		if err := c.Warm(t.Context()); err != nil { // the bare client has its token, too
			t.Fatal(err)
		}
		runtime.GC()
		before := objects()
		peak, accepted := before, 0
		begun := time.Now()
		for r, err := range c.SendAll(t.Context(), evening(n, 0), send.Batch{Parallel: campaignParallel}) {
			if err != nil {
				t.Errorf("send %d = %v, want nil", r.Index, err)
				continue
			}
			if accepted++; accepted%64 == 0 {
				peak = max(peak, objects())
			}
		}
		plain = time.Since(begun)
		grown := float64(peak-before) / (1 << 20)
		_, perSecond := c.Capacity(time.Now())
		seen := s.count(t)
		t.Logf("SendAll %v: %.3f of ideal, %.3f of bare; heap grew by %.1f MB, %d connections, %.0f a second by Capacity",
			plain.Round(time.Millisecond), ratio(plain, ideal), ratio(plain, bare), grown, seen.MaxOpenConns, perSecond)
		if accepted != n || seen.Accepted != n || len(seen.Duplicates)+len(seen.Violations) != 0 {
			t.Errorf("%d accepted, the server says %+v, want %d and nothing else", accepted, seen, n)
		}
		if plain > 2*bare+time.Second { // others use the machine, too
			t.Errorf("SendAll took %v, bare net/http %v: want hardly more", plain, bare)
		}
		if grown > 32 {
			t.Errorf("the heap grew by %.1f MB, want less than 32", grown)
		}
		if got := seen.MaxOpenConns; got > campaignParallel+2 { // one that the client closed may be open here
			t.Errorf("connections at once = %d, want at most %d", got, campaignParallel)
		}
		if want := float64(n) / plain.Seconds(); perSecond < want/2 || perSecond > want*2 {
			t.Errorf("Capacity measured %.0f a second, want about %.0f", perSecond, want)
		}
	})
	t.Run("one in a hundred hangs", func(t *testing.T) { //nolint:paralleltest // measures
		s := newVendor(t)
		c := newClient(t, s, func(cfg *bizppurio.Config) {
			cfg.Pool.MaxConns = campaignParallel
			cfg.AttemptTimeout = campaignTimeout
			cfg.Breaker.Failures = math.MaxUint32 // a machine that stands still for a second is no sick vendor
		})
		hung, accepted := 0, 0
		begun := time.Now()
		for _, err := range c.SendAll(t.Context(), evening(n, 100), send.Batch{Parallel: campaignParallel}) {
			if err == nil {
				accepted++
				continue
			}
			wantError(t, "hung", err, send.Unknown, send.Timeout)
			hung++
		}
		took := time.Since(begun)
		best := idealCampaign(n, 100)
		t.Logf("SendAll %v, %v more than without, where %v is their share: %.3f of ideal",
			took.Round(time.Millisecond), (took - plain).Round(time.Millisecond), (best - ideal).Round(time.Millisecond), ratio(took, best))
		if accepted+hung != n || hung < n/100 {
			t.Errorf("%d accepted, %d hung, want %d together and one in a hundred", accepted, hung, n)
		}
		if most := 2*(plain-ideal) + best + time.Second; took > most {
			t.Errorf("it took %v, %v without those that hang: want at most %v", took, plain, most)
		}
	})
}

// idealCampaign is how long an evening takes at least when each message goes
// to the slot that is free first, and nothing costs anything but its turn, or
// the timeout for those that hang.
func idealCampaign(n, every int) time.Duration {
	var slots [campaignParallel]time.Duration
	for i := range n {
		turn := campaignTurn
		if hangs(i, every) {
			turn = campaignTimeout
		}
		slots[slices.Index(slots[:], slices.Min(slots[:]))] += turn
	}
	return slices.Max(slots[:])
}

func hangs(i, every int) bool { return every > 0 && i%every == every/2 }

// evening yields n messages, of which one in every so many hangs.
func evening(n, every int) iter.Seq[send.Message] {
	return func(yield func(send.Message) bool) {
		for i := range n {
			m := sms("c-" + strconv.Itoa(i))
			m.To = "010-0000-1006" // no reports, which the Server would keep
			if hangs(i, every) {
				m.To = "010-0000-6006"
			}
			if !yield(m) {
				return
			}
		}
	}
}

// bareCampaign is the same with net/http and nothing else.
func bareCampaign(t *testing.T, s venue, n int) time.Duration {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: s.TLSConfig(), MaxConnsPerHost: campaignParallel, MaxIdleConnsPerHost: campaignParallel}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	auth := bearer(t, s)
	work := make(chan send.Message)
	var wg sync.WaitGroup
	begun := time.Now()
	for range campaignParallel {
		wg.Go(func() {
			for m := range work {
				m.From = "0212345678"
				body, err := m.AppendBody(nil, s.Account())
				if err != nil {
					t.Error(err)
					continue
				}
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+bizppuriotest.PathMessage, bytes.NewReader(body))
				if err != nil {
					t.Error(err)
					continue
				}
				req.Header = http.Header{"Authorization": {auth}, "Content-Type": {"application/json; charset=utf-8"}}
				resp, err := client.Do(req)
				if err != nil {
					t.Error(err)
					continue
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
		})
	}
	for m := range evening(n, 0) {
		work <- m
	}
	close(work)
	wg.Wait()
	return time.Since(begun)
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// objects is the memory in objects, dead ones included, without stopping the
// program for it.
func objects() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
