package send_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/send"
)

func TestOutcomeOf(t *testing.T) {
	t.Parallel()
	of := func(o send.Outcome) error { return &send.Error{Outcome: o} }
	plain := errors.New("database is gone")
	tests := []struct {
		name string
		err  error
		want send.Outcome
	}{
		{"nil", nil, send.Accepted},
		{"unknown error", plain, send.Unknown},
		{"context error", context.Canceled, send.Unknown},
		{"zero Error", new(send.Error), send.Unknown},
		{"nil Error", (*send.Error)(nil), send.Unknown},
		{"an error that says accepted", of(send.Accepted), send.Unknown},
		{"an outcome that is none", of(send.Outcome(7)), send.Unknown},
		{"not sent", of(send.NotSent), send.NotSent},
		{"rejected", of(send.Rejected), send.Rejected},
		{"wrapped", fmt.Errorf("order: %w", of(send.NotSent)), send.NotSent},
		{"wrapped twice in one", fmt.Errorf("%w, %w", of(send.NotSent), of(send.Rejected)), send.Rejected},
		{"joined with another", errors.Join(plain, of(send.NotSent)), send.NotSent},
		{"joined, unknown last", errors.Join(of(send.NotSent), of(send.Rejected), of(send.Unknown)), send.Unknown},
		{"joined, unknown first", errors.Join(of(send.Unknown), of(send.NotSent)), send.Unknown},
		{"joined, rejected first", errors.Join(of(send.Rejected), of(send.NotSent)), send.Rejected},
		{"joined with nil Error", errors.Join(of(send.NotSent), (*send.Error)(nil)), send.Unknown},
		{"joined deep", fmt.Errorf("a: %w", errors.Join(plain, fmt.Errorf("b: %w", errors.Join(of(send.Rejected))))), send.Rejected},
		{"the cause does not count", &send.Error{Outcome: send.NotSent, Err: of(send.Unknown)}, send.NotSent},
		{"a reason alone", send.RateLimited, send.Unknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := send.OutcomeOf(tt.err); got != tt.want {
				t.Errorf("OutcomeOf(%v) = %v, want %v", tt.err, got, tt.want)
			}
		})
	}
}

func TestOutcome_String(t *testing.T) {
	t.Parallel()
	var zero send.Outcome
	for o, want := range map[send.Outcome]string{
		zero: "unknown", send.NotSent: "not_sent", send.Rejected: "rejected", send.Accepted: "accepted", 9: "unknown",
	} {
		if got := o.String(); got != want {
			t.Errorf("Outcome(%d).String() = %q, want %q", int(o), got, want)
		}
	}
}

// TestError_Is covers case 68.
func TestError_Is(t *testing.T) {
	t.Parallel()
	e := &send.Error{Outcome: send.NotSent, Reason: send.Canceled, Err: context.DeadlineExceeded}
	err := errors.Join(errors.New("x"), fmt.Errorf("order: %w", e))
	if !errors.Is(err, send.Canceled) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("errors.Is(%v) = false, want both the reason and the cause", err)
	}
	if errors.Is(err, send.RateLimited) || errors.Is(new(send.Error), send.Reason("")) || errors.Is((*send.Error)(nil), send.Canceled) {
		t.Error("errors.Is = true for a reason that is not there")
	}
	if got := e.ErrorType(); got != "canceled" {
		t.Errorf("ErrorType() = %q, want canceled", got)
	}
	var none *send.Error
	if none.ErrorType() != "" || none.Unwrap() != nil {
		t.Error("a nil Error has a type or a cause")
	}
	if got := send.RateLimited.Error(); got != "bizppurio: rate_limited" {
		t.Errorf("Error() = %q, want bizppurio: rate_limited", got)
	}
}

func TestAccountRefused(t *testing.T) {
	t.Parallel()
	rejected := func(c send.Code) error { return &send.Error{Outcome: send.Rejected, Reason: send.Refused, Code: c} }
	account := map[send.Code]bool{
		3000: true, 3001: true, 3002: true, 3003: true, 3004: true, 3005: true, 3006: true, 3007: true, 3009: true,
		3010: true, 5001: true,
	}
	for c := range send.Code(10_000) {
		if got := send.AccountRefused(rejected(c)); got != account[c] {
			t.Errorf("AccountRefused(code %d) = %t, want %t", c, got, account[c])
		}
	}
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"nil", nil, false},
		{"nil Error", (*send.Error)(nil), false},
		{"other error", errors.New("3007"), false},
		{"wrapped", fmt.Errorf("x: %w", rejected(3007)), true},
		{"joined, last", errors.Join(rejected(2000), errors.New("x"), rejected(3007)), true},
		{"not rejected", &send.Error{Outcome: send.NotSent, Code: 3007}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := send.AccountRefused(tt.err); got != tt.want {
				t.Errorf("AccountRefused(%v) = %t, want %t", tt.err, got, tt.want)
			}
		})
	}
}

// TestCode_Text covers case 87.
func TestCode_Text(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code send.Code
		want []string
	}{
		{1000, []string{"Success"}},
		{2000, []string{"Invalid message"}},
		{3000, []string{"address", "account"}},
		{3001, []string{"account", "password"}},
		{3002, []string{"token"}},
		{3003, []string{"address", "registered"}},
		{3004, []string{"account"}},
		{3005, []string{"token"}},
		{3006, []string{"account"}},
		{3007, []string{"password"}},
		{3008, []string{"connections"}},
		{3009, []string{"suspended"}},
		{3010, []string{"address", "registered"}},
		{5002, []string{"rate limit"}},
	}
	for _, tt := range tests {
		for _, want := range tt.want {
			if got := tt.code.Text(); !strings.Contains(got, want) {
				t.Errorf("Code(%d).Text() = %q, want %q in it", tt.code, got, want)
			}
		}
	}
	if got := send.Code(1234).Text(); got != "" {
		t.Errorf("Code(1234).Text() = %q, want none", got)
	}
}
