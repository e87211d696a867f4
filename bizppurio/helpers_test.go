package bizppurio_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"image"
	stdjpeg "image/jpeg"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
	"github.com/go-bizppurio/sdk/token"
)

// roundTrip is a RoundTripper made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// spyStore remembers the token saved last and never has one.
type spyStore struct {
	mu  sync.Mutex
	tok token.Token
}

func (s *spyStore) Load(context.Context, string) (token.Token, error) {
	return token.Token{}, token.ErrNone
}

func (s *spyStore) Save(_ context.Context, _ string, t token.Token) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tok = t
	return nil
}

func (s *spyStore) last() token.Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tok
}

// jpeg is a small picture.
func jpeg() []byte {
	var b bytes.Buffer
	_ = stdjpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 8, 8)), nil)
	return b.Bytes()
}

func gunzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// respond makes an answer without a network.
func respond(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// bearer fetches a token of the server's without the client.
func bearer(tb testing.TB, s venue) string {
	tb.Helper()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: s.TLSConfig()}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, s.URL()+bizppuriotest.PathToken, nil)
	if err != nil {
		tb.Fatal(err)
	}
	req.SetBasicAuth(s.Account(), s.Password())
	resp, err := client.Do(req)
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	var t struct{ AccessToken string }
	if err := json.NewDecoder(resp.Body).Decode(&t); err != nil {
		tb.Fatal(err)
	}
	return "Bearer " + t.AccessToken
}

// advance lets the time of a synctest bubble pass.
func advance(d time.Duration) { <-time.NewTimer(d).C }
