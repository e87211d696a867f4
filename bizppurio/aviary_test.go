package bizppurio_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/report"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
	"github.com/go-bizppurio/sdk/token"
)

// The canaries: what must never be seen of a call.
const (
	birdAccount   = "canary-acct"
	birdPassword  = "canary-password"
	birdToken     = "canary-token"
	birdTo        = "01098765432"
	birdFrom      = "0319876543"
	birdText      = "canary-글자"
	birdVariable  = "canary-홍길동"
	birdSubject   = "canary-제목"
	birdButton    = "https://example.com/canary-button"
	birdFile      = "canary-사진.jpg"
	birdRefKey    = "canary-refkey"
	birdUserInfo  = "canary-userinfo"
	birdForeign   = "canary-foreign" // in what others say: answers, errors, causes, panics
	birdSenderKey = "canary-senderkey"
)

func canaries() []string {
	return []string{
		"canary", birdTo, birdTo[1:], "010-9876-5432", birdFrom, birdFrom[1:], "031-987-6543", "글자", "홍길동", "제목", "사진",
		base64.StdEncoding.EncodeToString([]byte(birdAccount + ":" + birdPassword)),
	}
}

// quoting puts every canary into the answer of a vendor that repeats what it
// was told.
func quoting() string {
	all := []string{birdAccount, birdPassword, birdToken, birdTo, birdFrom, birdText, birdVariable, birdSubject, birdButton, birdFile, birdRefKey, birdForeign}
	return `["` + strings.Join(all, `","`) + `"]`
}

// loud is an error that is no pointer, so that %#v shows what it holds.
type loud struct{ Text string }

func (l loud) Error() string { return l.Text }

func loudly() error { return loud{birdForeign + " " + birdTo} }

// aviary lists what can go wrong, as what the vendor does to a request.
func aviary() map[string]func(*http.Request) (*http.Response, error) {
	answer := func(code int, body string, header ...string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			resp := respond(r, code, body)
			for i := 0; i < len(header); i += 2 {
				resp.Header.Set(header[i], header[i+1])
			}
			return resp, nil
		}
	}
	quote := quoting()
	return map[string]func(*http.Request) (*http.Response, error){
		"accepted":                  answer(200, `{"code":1000,"messagekey":"`+birdTo+`","filekey":"f","description":`+quote+`}`),
		"refused":                   answer(400, `{"code":2000,"description":`+quote+`,"messagekey":"`+birdForeign+`"}`),
		"refused with 200":          answer(200, `{"code":3014,"description":`+quote+`}`),
		"rate limited":              answer(429, quote, "RateLimit-Reset", "0.01", "RateLimit-Limit", birdTo, "Retry-After", birdForeign),
		"busy":                      answer(503, `{"code":5004,"description":`+quote+`}`),
		"vendor fault":              answer(500, `{"code":9000,"description":`+quote+`}`),
		"a page":                    answer(502, "<html>"+quote, "Content-Type", "text/"+birdForeign),
		"unreadable":                answer(200, quote+birdTo, "Content-Type", birdTo),
		"unknown code":              answer(200, `{"code":"`+birdTo+`","description":`+quote+`}`),
		"contradiction":             answer(200, `{"code":1000,"code":2000,"description":`+quote+`}`),
		"another message":           answer(200, `{"code":1000,"refkey":"`+birdTo+`","messagekey":"`+birdForeign+`"}`),
		"redirect":                  answer(307, quote, "Location", "https://u:"+birdPassword+"@example.com/?to="+birdTo),
		"reports that break":        answer(200, `{"code":1000,"report":[{"phone":"`+birdTo+`","refkey":`+quote+`},7]}`),
		"reports that are none":     answer(200, `{"code":1000,"report":"`+birdTo+`"}`),
		"other encoding":            answer(200, quote, "Content-Encoding", birdForeign),
		"broken gzip":               answer(200, quote, "Content-Encoding", "gzip"),
		"lost":                      fails(loudly()),
		"lost, with the URL":        fails(&url.Error{Op: birdTo, URL: "https://u:" + birdPassword + "@example.com/?to=" + birdTo, Err: loudly()}),
		"unreachable":               fails(&engine.Error{Phase: engine.Dial, Unsent: true, Err: loudly()}),
		"no free connection":        fails(&engine.Error{Phase: engine.Acquire, Unsent: true, Err: loudly()}),
		"lost, typed":               fails(&engine.Error{Phase: engine.Wait, Err: loudly()}),
		"no answer":                 hang,
		"neither answer nor error":  fails(nil),
		"a panic":                   func(*http.Request) (*http.Response, error) { panic(loudly()) },
		"the answer breaks off":     breaksOff(200, `{"code":1000,"messagekey":"`+birdTo),
		"the page breaks off":       breaksOff(500, quote),
		"a second answer beside it": answer(200, `{"code":1000}`+quote),
	}
}

func breaksOff(code int, begin string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		resp := respond(r, code, "")
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader(begin), readerFunc(func([]byte) (int, error) { return 0, loudly() })))
		resp.ContentLength = -1
		return resp, nil
	}
}

// birds are messages full of canaries, and then some that our own validation
// refuses.
func birds() []send.Message {
	template := send.Template{
		SenderKey: birdSenderKey, Code: "T01", Text: "#{이름}님 안내",
		Buttons: []send.Button{{Name: "조회", Type: send.WebLink, URLMobile: birdButton}},
	}
	alimtalk, _ := template.Render(map[string]string{"이름": birdVariable})
	contents := []send.Content{
		send.SMS{Text: birdText},
		send.LMS{Subject: birdSubject, Text: birdText},
		send.MMS{Subject: birdSubject, Text: birdText, Images: []send.Image{{Key: birdForeign}}},
		alimtalk,
		send.Raw{Type: "sms", JSON: json.RawMessage(`{"message":"` + birdText + `"}`)},
		send.Raw{Type: birdForeign, JSON: json.RawMessage(`{"message":"` + birdText + `"}`)},
	}
	var all []send.Message
	for _, c := range contents {
		all = append(all, send.Message{To: birdTo, From: birdFrom, RefKey: birdRefKey, UserInfo: birdUserInfo, Content: c})
	}
	return append(all,
		send.Message{To: birdForeign, Content: send.SMS{Text: birdText}},
		send.Message{To: birdTo, From: birdForeign, Content: send.SMS{Text: birdText}},
		send.Message{To: birdTo, Content: send.SMS{Text: birdText + "😀"}},
		send.Message{To: birdTo, Content: send.SMS{Text: strings.Repeat(birdText, 50)}},
		send.Message{To: birdTo, RefKey: strings.Repeat(birdRefKey, 9), Content: send.LMS{Subject: strings.Repeat(birdSubject, 9), Text: birdText}},
		send.Message{To: birdTo, Content: send.Raw{Type: birdForeign + " " + birdTo, JSON: json.RawMessage(birdText)}},
		send.Message{To: birdTo, Content: send.AlimTalk{Buttons: []send.Button{{Name: birdForeign, Type: birdForeign, URLMobile: birdButton}}}},
	)
}

// flock is a client with canaries in every place, and all that it said.
type flock struct {
	*witness
	client *bizppurio.Client

	mu       sync.Mutex
	said     []string // errors and what else callers see, printed
	requests strings.Builder
}

func release(tb testing.TB, vendor, tokens func(*http.Request) (*http.Response, error)) *flock {
	tb.Helper()
	f := &flock{witness: newWitness()}
	cfg := bizppurio.Config{
		Account: birdAccount, Password: birdPassword, From: birdFrom,
		Breaker: engine.Breaker{Failures: 1 << 30},
		Engine: engine.Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			f.mu.Lock()
			fmt.Fprintln(&f.requests, r.URL, r.Header, string(body))
			f.mu.Unlock()
			if r.URL.Path == "/v1/token" {
				return tokens(r)
			}
			return vendor(r)
		})),
	}
	f.watch(&cfg)
	f.say(cfg)
	var err error
	if f.client, err = bizppurio.New(cfg); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.client.Close() })
	return f
}

func birdsToken(r *http.Request) (*http.Response, error) {
	return respond(r, 200, `{"accesstoken":"`+birdToken+`","type":"Bearer","expired":"`+birdForeign+`"}`), nil
}

// say keeps how a value prints: with the verbs of fmt and in slog.
func (f *flock) say(v any) {
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "v", v)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "v", v)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.said = append(f.said, fmt.Sprintf("%v %+v %#v %s %q", v, v, v, v, v), log.String())
	if s, ok := v.(fmt.Stringer); ok {
		f.said = append(f.said, s.String())
	}
	if s, ok := v.(fmt.GoStringer); ok {
		f.said = append(f.said, s.GoString())
	}
	if s, ok := v.(slog.LogValuer); ok {
		f.said = append(f.said, s.LogValue().String())
	}
}

// ask makes a call, whatever it panics with, and prints its error. Those below
// it that are ours may be printed by themselves; what others said is found by
// errors.As and not printed by us.
func (f *flock) ask(call func() error) {
	defer func() { _ = recover() }()
	err := call()
	f.say(err)
	for e := err; e != nil; e = errors.Unwrap(e) {
		if t := fmt.Sprintf("%T", e); strings.HasPrefix(t, "*bizppurio.") || strings.HasPrefix(t, "*send.") || strings.HasPrefix(t, "*token.") {
			f.say(e)
		}
	}
}

// fly makes every call, also with a context that ends while it is on its way.
func (f *flock) fly(ctx context.Context) {
	for _, m := range birds() {
		f.say(m)
		f.say(m.Content)
		f.say(&m)
		f.ask(func() error {
			_, err := f.client.Send(ctx, m)
			return err
		})
	}
	f.ask(func() error {
		ctx, cancel := context.WithCancelCause(ctx)
		stop := time.AfterFunc(time.Second, func() { cancel(loudly()) })
		defer stop.Stop()
		_, err := f.client.Send(ctx, birds()[0])
		return err
	})
	for _, u := range []send.Upload{
		{Name: birdFile, JPEG: bytes.NewReader(jpeg())},
		{Name: birdFile + ".png", JPEG: bytes.NewReader(jpeg())},
		{Name: birdFile, JPEG: strings.NewReader(birdText)},
		{Name: birdFile, JPEG: readerFunc(func([]byte) (int, error) { return 0, loudly() })},
		{Name: birdFile, JPEG: readerFunc(func([]byte) (int, error) { panic(loudly()) })},
	} {
		f.say(u)
		f.ask(func() error {
			_, err := f.client.UploadImage(ctx, u)
			return err
		})
	}
	f.ask(func() error {
		batch, err := f.client.Poll(ctx)
		for _, r := range batch {
			f.say(r)
		}
		return err
	})
	f.ask(func() error { return f.client.Confirm(ctx, []string{birdForeign}) })
	f.ask(func() error { return f.client.RequestReport(ctx, birdForeign) })
	f.ask(func() error { return f.client.Warm(ctx) })
	f.say(f.client)
}

// everything is all that left the client, by its place.
func (f *flock) everything(tb testing.TB) map[string]string {
	tb.Helper()
	var spans strings.Builder
	for _, s := range f.spans.Ended() {
		fmt.Fprintf(&spans, "%s %+v %+v %+v %+v %+v\n", s.Name(), s.Attributes(), s.Events(), s.Status(), s.Links(), s.InstrumentationScope())
		for _, a := range s.Attributes() {
			fmt.Fprintln(&spans, a.Value.String())
		}
	}
	var data metricdata.ResourceMetrics
	if err := f.reader.Collect(context.WithoutCancel(tb.Context()), &data); err != nil {
		tb.Fatal(err)
	}
	metrics, err := json.Marshal(data.ScopeMetrics)
	if err != nil {
		tb.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return map[string]string{
		"what callers print": strings.Join(f.said, "\n"),
		"the spans":          spans.String(),
		"the metrics":        string(metrics) + fmt.Sprintf("%+v", data),
		"the log":            strings.Join(f.log.from(slog.LevelDebug), "\n") + f.log.json.String(),
	}
}

// wantSilent checks that no canary left the client.
func (f *flock) wantSilent(tb testing.TB) {
	tb.Helper()
	for place, said := range f.everything(tb) {
		if said == "" {
			tb.Errorf("%s: empty, so nothing is proven", place)
		}
		for _, bird := range canaries() {
			if i := strings.Index(said, bird); i >= 0 {
				tb.Errorf("%s: %q is seen: …%s…", place, bird, said[max(0, i-120):min(len(said), i+120)])
			}
		}
	}
}

// TestAviary is case 71 for all calls: account, password, token, numbers,
// texts, template variables, subject, button, file name and RefKey go through
// every failing path and are seen nowhere but on the wire.
func TestAviary(t *testing.T) {
	t.Parallel()
	for name, vendor := range aviary() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := release(t, vendor, birdsToken)
				f.fly(t.Context())
				f.wantSilent(t)
				// The birds live: all of this was in the requests.
				sent := f.requests.String()
				for _, bird := range []string{
					birdAccount, "Bearer " + birdToken, base64.StdEncoding.EncodeToString([]byte(birdAccount + ":" + birdPassword)),
					birdTo, birdFrom, birdText, birdVariable, birdSubject, birdButton, birdFile, birdRefKey, birdUserInfo, birdSenderKey, birdForeign,
				} {
					if !strings.Contains(sent, bird) {
						t.Errorf("no request holds %q: the canary is dead", bird)
					}
				}
			})
		})
		t.Run("token call: "+name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := release(t, fine, vendor)
				f.fly(t.Context())
				f.wantSilent(t)
			})
		})
	}
}

// TestAviary_tokens: what a token call brings may be no token.
func TestAviary_tokens(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"blank in the token": `{"accesstoken":"` + birdToken + ` ` + birdTo + `","expired":"` + birdTo + `"}`,
		"no text":            `{"accesstoken":{"x":` + quoting() + `}}`,
		"expired":            `{"accesstoken":"` + birdToken + `","expired":"19990101000000"}`,
		"refused":            `{"code":3007,"description":` + quoting() + `,"accesstoken":"` + birdToken + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := release(t, fine, status(200, body))
				f.fly(t.Context())
				f.wantSilent(t)
			})
		})
	}
}

// TestAviary_wire: the same over real connections: a server that is not
// trusted, proxies that fail and one with a password, and a wrong password.
func TestAviary_wire(t *testing.T) {
	t.Parallel()
	s := bizppuriotest.NewServer(t, bizppuriotest.WithAccount(birdAccount, birdPassword))
	for name, change := range map[string]func(*bizppurio.Config){
		"untrusted": func(cfg *bizppurio.Config) { cfg.Pool.TLS = nil },
		"proxy": func(cfg *bizppurio.Config) {
			cfg.Pool.Proxy = func(*http.Request) (*url.URL, error) {
				return url.Parse("http://" + birdAccount + ":" + birdPassword + "@127.0.0.1:1/")
			}
		},
		"proxy, none": func(cfg *bizppurio.Config) {
			cfg.Pool.Proxy = func(*http.Request) (*url.URL, error) { return nil, loudly() }
		},
		"wrong password": func(cfg *bizppurio.Config) { cfg.Password = birdPassword + "!" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &flock{witness: newWitness()}
			f.client = newClient(t, s, once, f.watch, func(cfg *bizppurio.Config) { cfg.From = birdFrom }, change)
			f.ask(func() error {
				_, err := f.client.Send(t.Context(), birds()[0])
				if err == nil {
					t.Error("Send = nil, want an error")
				}
				return err
			})
			f.wantSilent(t)
		})
	}
}

// TestAviary_types: every exported type that holds such data hides it.
func TestAviary_types(t *testing.T) {
	t.Parallel()
	b := birds()
	encoded, err := send.Encode(b[0].Content)
	if err != nil {
		t.Fatal(err)
	}
	reports, err := report.Decode([]byte(`{"DEVICE":"SMS","CMSGID":"k","MSGID":"m","PHONE":"` + birdTo + `","TO_NAME":"` + birdVariable + `","MEDIA":"SMS","UNIXTIME":"1777456620","RESULT":"4100","USERDATA":"` + birdUserInfo + `","REFKEY":"` + birdRefKey + `"}`))
	if err != nil || len(reports) != 1 || reports[0].To != birdTo {
		t.Fatalf("Decode = %v, %v: the canary is dead", reports, err)
	}
	failure := &send.Error{Outcome: send.Unknown, Reason: send.Timeout, RefKey: birdRefKey, Err: errors.New("x")}
	values := map[string]any{
		"Config":        bizppurio.Config{Account: birdAccount, Password: birdPassword, From: birdFrom, BaseURL: "https://u:" + birdPassword + "@x.example?q=" + birdTo},
		"Token":         token.Token{Value: birdToken},
		"Report":        reports[0],
		"report.Config": report.Config{Secret: birdPassword},
		"Encoded":       encoded,
		"*Error":        failure,
		"Error":         *failure,
		"Button":        send.Button{Name: birdForeign, URLMobile: birdButton},
		"Template":      send.Template{SenderKey: birdSenderKey, Text: birdText},
		"FriendTalk":    send.FriendTalk{Kind: "ft", SenderKey: birdSenderKey, Text: birdText},
		"BrandMessage":  send.BrandMessage{Kind: "ut", SenderKey: birdSenderKey, Text: birdText},
		"RCS":           send.RCS{ChatbotID: birdFrom, Header: birdForeign},
		"TalkTalk":      send.TalkTalk{PartnerKey: birdPassword, Text: birdText},
		"PanicError":    &token.PanicError{Value: birdForeign},
		"engine.Error":  &engine.Error{Phase: engine.Wait, Err: loudly()},
	}
	for i, m := range b {
		values[fmt.Sprint("Message ", i)], values[fmt.Sprint("Content ", i)] = m, m.Content
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		f := &flock{}
		f.say(values[name])
		said := strings.Join(f.said, "\n")
		for _, bird := range canaries() {
			if strings.Contains(said, bird) {
				t.Errorf("%s shows %q: %s", name, bird, said)
			}
		}
	}
}
