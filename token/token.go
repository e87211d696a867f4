package token

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"
)

const redacted = "REDACTED"

// Token is the vendor's access token (접근 토큰) and the instant at which it
// expires. It prints as REDACTED, with every verb of package fmt and in slog;
// encoding/json tells the truth, so that a [Store] can serialise it. For the
// same reason slog's JSON handler shows the value of a Token that is a part of
// another value: log the Token itself or nothing.
type Token struct {
	Value string `json:"value"`

	// Expires is the first instant at which the token is no longer good. The
	// zero value means that its end is not known: it is then kept until
	// [Cache.Invalidate], never refreshed early and never taken from a Store.
	Expires time.Time `json:"expires"`
}

// String returns REDACTED.
func (Token) String() string { return redacted }

// GoString returns REDACTED.
func (Token) GoString() string { return redacted }

// Format writes REDACTED for every verb.
func (Token) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, redacted) }

// LogValue returns REDACTED.
func (Token) LogValue() slog.Value { return slog.StringValue(redacted) }

// usable reports whether t can be handed out at now.
func (t Token) usable(now time.Time) bool {
	return t.Value != "" && (t.Expires.IsZero() || now.Before(t.Expires))
}

// Source hands out a token that is good for the next call.
type Source interface {
	Token(ctx context.Context) (Token, error)

	// Invalidate forgets t, and only t: a newer token stays.
	Invalidate(t Token)
}

// Origin says how [Cache.Get] came by its answer.
type Origin string

// The origins, for errors too.
const (
	OriginCache  Origin = "cache"  // from memory, without waiting; a remembered refusal and [ErrClosed] too
	OriginShared Origin = "shared" // from a fetch that another call had begun
	OriginFetch  Origin = "fetch"  // from a fetch (or a look into the Store) that this call began
)
