package bizppurio_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// BenchmarkSend_Stub is what the client costs above an engine that answers at
// once.
func BenchmarkSend_Stub(b *testing.B) {
	c, err := bizppurio.New(bizppurio.Config{
		Account: "a", Password: "p", From: "0212345678",
		Engine: engine.Wrap(roundTrip(vendor(func(*http.Request) string { return `{"code":1000,"messagekey":"k"}` }))),
	})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	m := sms("r")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Send(b.Context(), m); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSend_TLS and BenchmarkBare_TLS are the same exchange over real TLS,
// with the client and without.
func BenchmarkSend_TLS(b *testing.B) {
	s := bizppuriotest.NewServer(b)
	c := newClient(b, s)
	m := sms("r")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Send(b.Context(), m); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBare_TLS(b *testing.B) {
	s := bizppuriotest.NewServer(b)
	m := sms("r")
	m.From = "0212345678"
	body, err := m.AppendBody(nil, s.Account())
	if err != nil {
		b.Fatal(err)
	}
	auth := bearer(b, s)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: s.TLSConfig()}}
	defer client.CloseIdleConnections()
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, s.URL()+"/v3/message", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		req.Header.Set("Authorization", auth)
		req.Header.Set("Content-Type", "application/json; charset=utf-8")
		resp, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 {
			b.Fatal(resp.StatusCode, err)
		}
		resp.Body.Close()
	}
}
