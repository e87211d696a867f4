package bizppuriotest

import (
	"crypto/rand"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"
)

// korea is the vendor's clock: +09:00, without daylight saving.
func korea() *time.Location { return time.FixedZone("KST", 9*60*60) }

// tokens are the access tokens that a server issued.
type tokens struct {
	mu   sync.Mutex
	live map[string]time.Time // expiry
}

func newTokens() *tokens { return &tokens{live: map[string]time.Time{}} }

// RevokeTokens makes every token issued so far invalid: the next call with
// one is answered with 3002.
func (s *Server) RevokeTokens() {
	s.tokens.mu.Lock()
	defer s.tokens.mu.Unlock()
	clear(s.tokens.live)
}

func (t *tokens) issue(life time.Duration) (value string, expires time.Time) {
	expires = time.Now().Add(life)
	value = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9." + rand.Text() + "." + rand.Text()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.live[value] = expires
	return value, expires
}

func (t *tokens) good(value string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	expires, ok := t.live[value]
	return ok && time.Now().Before(expires)
}

func (t *tokens) revoke(value string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.live, value)
}

// token answers PathToken (spec 1.2).
func (s *Server) token(x *exchange) *reply {
	account, password, ok := basic(x.r.Header)
	switch {
	case !ok:
		return refusal(3001, "")
	case account != s.opt.account:
		return refusalBecause(3006, "", "invalid account in bizppurio")
	case password != s.opt.password:
		return refusalBecause(3007, "", "invalid password in bizppurio")
	}
	value, expires := s.tokens.issue(s.opt.tokenLife)
	return asJSON(http.StatusOK, struct {
		AccessToken string `json:"accesstoken"`
		Type        string `json:"type"`
		Expired     string `json:"expired"`
	}{value, "Bearer", expires.In(korea()).Format("20060102150405")})
}

// basic reads "Basic base64(account:password)", with exactly one space.
func basic(h http.Header) (account, password string, ok bool) {
	encoded, ok := strings.CutPrefix(h.Get("Authorization"), "Basic ")
	if !ok {
		return "", "", false
	}
	plain, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", "", false
	}
	return strings.Cut(string(plain), ":")
}

func (x *exchange) bearer() (string, bool) {
	return strings.CutPrefix(x.r.Header.Get("Authorization"), "Bearer ")
}

// authorised asks for a token that is good before next is called.
func (x *exchange) authorised(next func(*exchange) *reply) *reply {
	value, ok := x.bearer()
	switch {
	case x.r.Header.Get("Authorization") == "":
		return refusalBecause(3002, "", "jwt must be provided.")
	case !ok:
		return refusal(3005, "")
	case !x.s.tokens.good(value):
		return refusal(3002, "")
	}
	return next(x)
}
