package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-bizppurio/sdk/engine"
)

// connections counts those that sends need one after another, beside a program
// that makes a transport for each.
func connections(ctx context.Context, s sizes) ([]row, error) {
	theirs, err := during(ctx, near, func(v *vendor) error {
		bodies, err := v.bodies(s.sends)
		if err != nil {
			return err
		}
		header := jsonHeader()
		for _, body := range bodies {
			if err := alone(ctx, v, header, body); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	ours, err := during(ctx, near, func(v *vendor) error {
		c, err := newClient(v, engine.Config{}, nil)
		if err != nil {
			return err
		}
		defer c.Close()
		for range s.sends {
			if _, err := c.Send(ctx, message()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if theirs.Conns != s.sends || ours.Conns != 1 {
		err = fmt.Errorf("%d connections without the SDK and %d with it: want %d and 1", theirs.Conns, ours.Conns, s.sends)
	}
	return []row{{
		what:    fmt.Sprintf("TCP connections, 1 token + %d sends in sequence", s.sends),
		against: "a transport per send", reference: strconv.Itoa(theirs.Conns), ours: strconv.Itoa(ours.Conns),
		ratio: over(ours.Conns, theirs.Conns), target: "1", published: "1050 before, 1 after",
	}}, errors.Join(err, theirs.check(s.sends), ours.check(s.sends))
}

// alone sends over a transport of its own. The first of them fetches the token
// into header.
func alone(ctx context.Context, v *vendor, header http.Header, body []byte) error {
	b := newBare(v, 0)
	defer b.close()
	b.header = header
	if header.Get("Authorization") == "" {
		if err := b.login(ctx, v); err != nil {
			return err
		}
	}
	return b.send(ctx, body)
}

const (
	crowd = 30 // callers
	most  = 10 // connections
)

// ports counts the connections of many callers at once, beside net/http with
// as many idle connections as it keeps by default.
func ports(ctx context.Context, s sizes) ([]row, error) {
	theirs, err := during(ctx, far, func(v *vendor) error {
		bodies, err := v.bodies(crowd * s.each)
		if err != nil {
			return err
		}
		b := newBare(v, 0)
		defer b.close()
		if err := b.login(ctx, v); err != nil {
			return err
		}
		return parallel(crowd, s.each, func(i int) error { return b.send(ctx, bodies[i]) })
	})
	if err != nil {
		return nil, err
	}
	ours, err := during(ctx, far, func(v *vendor) error {
		c, err := newClient(v, engine.Config{MaxConns: most, AcquireTimeout: time.Minute}, nil)
		if err != nil {
			return err
		}
		defer c.Close()
		return parallel(crowd, s.each, func(int) error {
			_, err := c.Send(ctx, message())
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	if ours.Conns > most {
		err = fmt.Errorf("%d connections, want at most %d", ours.Conns, most)
	}
	return []row{{
		what:    fmt.Sprintf("source ports, %d callers × %d sends, MaxConns %d", crowd, s.each, most),
		against: "net/http, 2 idle connections", reference: strconv.Itoa(theirs.Conns), ours: strconv.Itoa(ours.Conns),
		ratio: over(ours.Conns, theirs.Conns), target: "≤ 10", published: "117 unpooled, 10 pooled",
	}}, errors.Join(err, theirs.check(crowd*s.each), ours.check(crowd*s.each))
}
