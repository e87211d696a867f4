package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// bare is net/http and nothing else: the body and the header of a request are
// made beforehand, and no more is asked of an answer than its status.
type bare struct {
	client *http.Client
	url    string
	header http.Header
}

// newBare makes a client that keeps that many idle connections; 0 is the
// default of net/http, 2.
func newBare(v *vendor, idle int) *bare {
	return &bare{
		client: &http.Client{Transport: &http.Transport{
			TLSClientConfig: v.tls(), DisableCompression: true, MaxIdleConnsPerHost: idle,
		}},
		url:    v.URL + bizppuriotest.PathMessage,
		header: jsonHeader(),
	}
}

func jsonHeader() http.Header {
	return http.Header{"Content-Type": {"application/json; charset=utf-8"}}
}

func (b *bare) close() { b.client.CloseIdleConnections() }

// login fetches a token for all sends.
func (b *bare) login(ctx context.Context, v *vendor) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.URL+bizppuriotest.PathToken, nil)
	if err != nil {
		return err
	}
	req.SetBasicAuth(v.Account, v.Password)
	resp, err := b.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var t struct{ AccessToken string }
	if err := json.NewDecoder(resp.Body).Decode(&t); err != nil {
		return err
	}
	b.header.Set("Authorization", "Bearer "+t.AccessToken)
	_, err = io.Copy(io.Discard, resp.Body) // or the connection is not used again
	return err
}

func (b *bare) send(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header = b.header
	resp, err := b.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}
