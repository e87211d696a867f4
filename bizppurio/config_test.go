package bizppurio_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

func valid() bizppurio.Config {
	return bizppurio.Config{Account: "acct01", Password: "pw-canary", From: "02-1234-5678"}
}

func TestNew_problems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*bizppurio.Config)
		fields []string // the FieldErrors, in order; none: New succeeds
	}{
		{"good", func(*bizppurio.Config) {}, nil},
		{"nothing", func(c *bizppurio.Config) { *c = bizppurio.Config{} }, []string{"Account", "Password"}},
		{"everything", func(c *bizppurio.Config) {
			*c = bizppurio.Config{
				BaseURL: "http://example.com", From: "1", Engine: engine.Wrap(nil), Pool: engine.Config{MaxConns: 1},
				Rate: math.NaN(), AdWindow: send.Window{Open: time.Hour, Close: time.Hour},
			}
		}, []string{"Account", "Password", "BaseURL", "From", "Pool", "Rate", "AdWindow"}},
		{"colon in the account", func(c *bizppurio.Config) { c.Account = "a:b" }, []string{"Account"}},
		{"line break in the account", func(c *bizppurio.Config) { c.Account = "a\nb" }, []string{"Account"}},
		{"line break in the password", func(c *bizppurio.Config) { c.Password = "a\r\nb" }, []string{"Password"}},
		{"colon in the password", func(c *bizppurio.Config) { c.Password = "a:b" }, nil},
		{"no sender", func(c *bizppurio.Config) { c.From = "" }, nil},
		{"staging", func(c *bizppurio.Config) { c.BaseURL = bizppurio.Staging }, nil},
		{"path prefix", func(c *bizppurio.Config) { c.BaseURL = "https://gw.example.com:8443/biz/" }, nil},
		{"http on loopback", func(c *bizppurio.Config) { c.BaseURL = "http://127.0.0.1:8080" }, nil},
		{"http on loopback, IPv6", func(c *bizppurio.Config) { c.BaseURL = "http://[::1]:8080" }, nil},
		{"http on localhost", func(c *bizppurio.Config) { c.BaseURL = "http://localhost" }, nil},
		{"http on LOCALHOST", func(c *bizppurio.Config) { c.BaseURL = "http://LOCALHOST:8080" }, nil},
		{"highest port", func(c *bizppurio.Config) { c.BaseURL = "https://gw.example.com:65535" }, nil},
		{"port too high", func(c *bizppurio.Config) { c.BaseURL = "https://gw.example.com:65536" }, []string{"BaseURL"}},
		{"port 0", func(c *bizppurio.Config) { c.BaseURL = "https://gw.example.com:0" }, []string{"BaseURL"}},
		{"endless port", func(c *bizppurio.Config) { c.BaseURL = "https://gw.example.com:99999999999999999999" }, []string{"BaseURL"}},
		{"http on a name like loopback", func(c *bizppurio.Config) { c.BaseURL = "http://127.0.0.1.example.com" }, []string{"BaseURL"}},
		{"http elsewhere", func(c *bizppurio.Config) { c.BaseURL = "http://10.0.0.1" }, []string{"BaseURL"}},
		{"no scheme", func(c *bizppurio.Config) { c.BaseURL = "api.bizppurio.com" }, []string{"BaseURL"}},
		{"other scheme", func(c *bizppurio.Config) { c.BaseURL = "ftp://api.bizppurio.com" }, []string{"BaseURL"}},
		{"no host", func(c *bizppurio.Config) { c.BaseURL = "https:///x" }, []string{"BaseURL"}},
		{"user", func(c *bizppurio.Config) { c.BaseURL = "https://u:pw-canary@api.bizppurio.com" }, []string{"BaseURL"}},
		{"query", func(c *bizppurio.Config) { c.BaseURL = "https://api.bizppurio.com?x=pw-canary" }, []string{"BaseURL"}},
		{"empty query", func(c *bizppurio.Config) { c.BaseURL = "https://api.bizppurio.com?" }, []string{"BaseURL"}},
		{"fragment", func(c *bizppurio.Config) { c.BaseURL = "https://api.bizppurio.com#pw-canary" }, []string{"BaseURL"}},
		{"not a URL", func(c *bizppurio.Config) { c.BaseURL = "https://pw-canary\x7f" }, []string{"BaseURL"}},
		{"path escaped in part", func(c *bizppurio.Config) { c.BaseURL = "https://gw.example.com/a%2F한" }, []string{"BaseURL"}},
		{"engine and pool", func(c *bizppurio.Config) { c.Engine, c.Pool.IdleTimeout = engine.Wrap(nil), time.Second }, []string{"Pool"}},
		{"engine", func(c *bizppurio.Config) { c.Engine = engine.Wrap(nil) }, nil},
		{"infinite rate", func(c *bizppurio.Config) { c.Rate = math.Inf(1) }, []string{"Rate"}},
		{"negative settings count as zero", func(c *bizppurio.Config) {
			c.Rate, c.AttemptTimeout, c.Retry.Attempts, c.Retry.MinWait, c.Breaker.Cooldown = -1, -1, -1, -1, -1
		}, nil},
		{"window over midnight", func(c *bizppurio.Config) { c.AdWindow = send.Window{Open: 22 * time.Hour, Close: 2 * time.Hour} }, nil},
		{"window always open", func(c *bizppurio.Config) { c.AdWindow = send.Window{Close: 24 * time.Hour} }, nil},
		{"window of more than a day", func(c *bizppurio.Config) { c.AdWindow = send.Window{Close: 25 * time.Hour} }, []string{"AdWindow"}},
		{"window with a negative Open", func(c *bizppurio.Config) { c.AdWindow = send.Window{Open: -time.Hour, Close: time.Hour} }, []string{"AdWindow"}},
		{"window with a negative Close", func(c *bizppurio.Config) { c.AdWindow = send.Window{Open: time.Hour, Close: -time.Hour} }, []string{"AdWindow"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			cfg := valid()
			tt.change(&cfg)
			c, err := bizppurio.New(cfg)
			if c != nil {
				defer c.Close()
			}
			if got := fields(err); strings.Join(got, " ") != strings.Join(tt.fields, " ") || (err == nil) != (len(tt.fields) == 0) {
				t.Errorf("New problems = %v (%v), want %v", got, err, tt.fields)
			}
			if err != nil && strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), "canary") {
				t.Errorf("New error shows a value: %v", err)
			}
		})
	}
}

// TestNew_pathPrefix: the prefix is kept as it is spelled, in requests and in
// spans, but for slashes at its end.
func TestNew_pathPrefix(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ base, want string }{
		{"https://h.example", "https://h.example/v1/token"},
		{"https://h.example//", "https://h.example/v1/token"},
		{"https://h.example/biz/", "https://h.example/biz/v1/token"},
		{"https://h.example/a%2Fb", "https://h.example/a%2Fb/v1/token"},
		{"https://h.example/a%2F/", "https://h.example/a%2F/v1/token"},
		{"https://h.example/%7Ea/%ed", "https://h.example/%7Ea/%ed/v1/token"},
		{"https://h.example/~a/한/", "https://h.example/~a/%ED%95%9C/v1/token"},
	} {
		w := newWitness()
		cfg := valid()
		w.watch(&cfg)
		cfg.BaseURL = tt.base
		var got string
		cfg.Engine = engine.Wrap(roundTrip(func(r *http.Request) (*http.Response, error) {
			got = r.URL.Scheme + "://" + r.URL.Host + r.URL.RequestURI()
			return respond(r, 200, `{"accesstoken":"t"}`), nil
		}))
		c, err := bizppurio.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Warm(t.Context()); err != nil || got != tt.want {
			t.Errorf("with %s the token is asked of %s (%v), want %s", tt.base, got, err, tt.want)
		}
		if full, _ := attributeOf(w.attempts("/v1/token")[0], "url.full"); full.AsString() != tt.want {
			t.Errorf("with %s url.full = %s, want %s", tt.base, full.AsString(), tt.want)
		}
		_ = c.Close()
	}
}

// fields lists the Field of each FieldError in err, in order.
func fields(err error) []string {
	var all []string
	var walk func(error)
	walk = func(err error) {
		switch e := err.(type) { //nolint:errorlint // walked by hand
		case *send.FieldError:
			all = append(all, e.Field)
		case interface{ Unwrap() []error }:
			for _, one := range e.Unwrap() {
				walk(one)
			}
		case interface{ Unwrap() error }:
			walk(e.Unwrap())
		}
	}
	walk(err)
	return all
}

func TestConfig_hides(t *testing.T) {
	t.Parallel()
	cfg := valid()
	cfg.Account = "account-canary"
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "cfg", cfg)
	asJSON, err := json.Marshal(struct{ Password string }{cfg.Password})
	if err != nil || !strings.Contains(string(asJSON), "canary") {
		t.Fatal("the canary is dead")
	}
	printed := fmt.Sprintf("%v %+v %#v %s %q %x", cfg, cfg, cfg, cfg, cfg, cfg) + fmt.Sprint(&cfg) + log.String()
	if strings.Contains(printed, "canary") || strings.Contains(printed, "2-1234") {
		t.Errorf("a Config shows a secret: %s", printed)
	}
}

func TestConfigFromEnv(t *testing.T) {
	t.Setenv("BIZPPURIO_ACCOUNT", "")
	t.Setenv("BIZPPURIO_PASSWORD", "")
	t.Setenv("BIZPPURIO_BASE_URL", "https://x.example")
	t.Setenv("BIZPPURIO_FROM", "0212345678")
	_, err := bizppurio.ConfigFromEnv()
	if err == nil || !strings.Contains(err.Error(), "BIZPPURIO_ACCOUNT") || !strings.Contains(err.Error(), "BIZPPURIO_PASSWORD") {
		t.Errorf("ConfigFromEnv() error = %v, want both names", err)
	}
	t.Setenv("BIZPPURIO_ACCOUNT", "a")
	t.Setenv("BIZPPURIO_PASSWORD", "p")
	cfg, err := bizppurio.ConfigFromEnv()
	if err != nil || cfg.Account != "a" || cfg.Password != "p" || cfg.BaseURL != "https://x.example" || cfg.From != "0212345678" {
		t.Errorf("ConfigFromEnv() = %v, %v, want what the environment says", cfg, err)
	}
}

func TestNew_noNetwork(t *testing.T) {
	t.Parallel()
	c, err := bizppurio.New(valid())
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Errorf("Close twice = %v, want nil", err)
	}
}
