package bizppuriotest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// Case 81: the fake keeps the same contract as the client.
func TestCheckSender_Fake(t *testing.T) {
	t.Parallel()
	if err := bizppuriotest.CheckSender(t.Context(), &bizppuriotest.Fake{}); err != nil {
		t.Errorf("CheckSender(Fake) = %v, want nil", err)
	}
}

// sender is a Sender made of a function.
type sender func(context.Context, send.Message) (send.Receipt, error)

func (s sender) Send(ctx context.Context, m send.Message) (send.Receipt, error) { return s(ctx, m) }

// Each of these is wrong in one way, and CheckSender says in which.
func TestCheckSender_Catches(t *testing.T) {
	t.Parallel()
	// after changes what the fake answers.
	after := func(change func(context.Context, send.Message, *send.Receipt, error) error) send.Sender {
		f := &bizppuriotest.Fake{}
		return sender(func(ctx context.Context, m send.Message) (send.Receipt, error) {
			r, err := f.Send(ctx, m)
			err = change(ctx, m, &r, err)
			return r, err
		})
	}
	// before changes what the fake is asked.
	before := func(change func(*context.Context, *send.Message)) send.Sender {
		f := &bizppuriotest.Fake{}
		return sender(func(ctx context.Context, m send.Message) (send.Receipt, error) {
			change(&ctx, &m)
			return f.Send(ctx, m)
		})
	}
	failed := func(err error, change func(send.Error) *send.Error) error {
		var e *send.Error
		if !errors.As(err, &e) {
			return err
		}
		return change(*e)
	}
	var mu sync.Mutex
	var last send.Receipt
	for name, c := range map[string]struct {
		s    send.Sender
		want string // part of the rule
	}{
		"accepts nothing": {after(func(_ context.Context, _ send.Message, r *send.Receipt, _ error) error {
			r.MessageKey = ""
			return &send.Error{Outcome: send.NotSent, Reason: send.Closed, RefKey: r.RefKey}
		}), "a valid message was not accepted"},
		"forgets the RefKey beside errors": {after(func(_ context.Context, _ send.Message, r *send.Receipt, err error) error {
			if err != nil {
				r.RefKey = ""
			}
			return err
		}), "lacks the message's RefKey"},
		"a RefKey of its own": {before(func(_ *context.Context, m *send.Message) { m.RefKey = "x" }), "lacks the message's RefKey"},
		"generates the same RefKey": {before(func(_ *context.Context, m *send.Message) {
			if m.RefKey == "" {
				m.RefKey = "same"
			}
		}), "the same RefKey was generated twice"},
		"generates long RefKeys": {after(func(_ context.Context, m send.Message, r *send.Receipt, err error) error {
			if m.RefKey == "" {
				r.RefKey += r.RefKey
			}
			return failed(err, func(e send.Error) *send.Error { e.RefKey = r.RefKey; return &e })
		}), "longer than 32 bytes"},
		"no MessageKey": {after(func(_ context.Context, _ send.Message, r *send.Receipt, err error) error {
			r.MessageKey = ""
			return err
		}), "accepted without a MessageKey"},
		"a MessageKey beside errors": {after(func(_ context.Context, _ send.Message, r *send.Receipt, err error) error {
			r.MessageKey = "x"
			return err
		}), "a MessageKey beside an error"},
		"the same MessageKey": {after(func(_ context.Context, _ send.Message, r *send.Receipt, err error) error {
			if err == nil {
				r.MessageKey = "x"
			}
			return err
		}), "the same MessageKey"},
		"plain errors": {after(func(_ context.Context, _ send.Message, _ *send.Receipt, err error) error {
			if err != nil {
				return errors.New("failed")
			}
			return nil
		}), "no *send.Error"},
		"a typed nil": {after(func(context.Context, send.Message, *send.Receipt, error) error {
			return (*send.Error)(nil)
		}), "no *send.Error"},
		"errors that say accepted": {after(func(_ context.Context, _ send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error { e.Outcome = send.Accepted; return &e })
		}), "Outcome is Accepted"},
		"errors without reason": {after(func(_ context.Context, _ send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error { e.Reason = ""; return &e })
		}), "without a Reason"},
		"errors without RefKey": {after(func(_ context.Context, _ send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error { e.RefKey = ""; return &e })
		}), "the error lacks the RefKey"},
		"errors that tell the number": {after(func(_ context.Context, m send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error { e.Err = errors.Join(e.Err, errors.New(m.To)); return &e })
		}), "shows a number"},
		"invalid is unknown": {after(func(_ context.Context, _ send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error { e.Outcome = send.Unknown; return &e })
		}), "an invalid message is unknown"},
		"invalid is refused": {after(func(_ context.Context, _ send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error { e.Reason = send.Refused; return &e })
		}), "not Invalid"},
		"no field": {after(func(_ context.Context, _ send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error { e.Err = nil; return &e })
		}), "no *send.FieldError"},
		"sends what is invalid": {after(func(_ context.Context, _ send.Message, r *send.Receipt, err error) error {
			r.Attempts = 1
			return err
		}), "an invalid message was sent"},
		"cuts long texts": {before(func(_ *context.Context, m *send.Message) {
			if s, ok := m.Content.(send.SMS); ok && len(s.Text) > 90 {
				m.Content = send.SMS{Text: "cut"}
			}
		}), "an invalid message was accepted"},
		"does not know pointers": {before(func(_ *context.Context, m *send.Message) {
			if _, ok := m.Content.(*send.SMS); ok {
				m.Content = nil
			}
		}), "an SMS by pointer"},
		"ignores the context": {before(func(ctx *context.Context, _ *send.Message) {
			*ctx = context.WithoutCancel(*ctx) //nolint:fatcontext // once for each call
		}), "a cancelled context): a message was accepted"},
		"hides the context's error behind its cause": {after(func(ctx context.Context, _ send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error {
				if ctx != nil && ctx.Err() != nil {
					e.Err = context.Cause(ctx)
				}
				return &e
			})
		}), "with a cause): the error does not hold the context's own error"},
		"prints the cause": {after(func(ctx context.Context, _ send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error {
				if ctx != nil && ctx.Err() != nil {
					e.Err = errors.Join(ctx.Err(), context.Cause(ctx))
				}
				return &e
			})
		}), "cancelled with a cause): the error shows"},
		"cancelled is unknown": {after(func(_ context.Context, _ send.Message, _ *send.Receipt, err error) error {
			return failed(err, func(e send.Error) *send.Error {
				if e.Reason == send.Canceled {
					e.Outcome, e.Reason = send.Unknown, send.Interrupted
				}
				return &e
			})
		}), "not NotSent, Canceled"},
		"panics without a context": {before(func(ctx *context.Context, _ *send.Message) { _ = (*ctx).Err() }), "a nil context): panicked"},
		"takes a nil context": {before(func(ctx *context.Context, _ *send.Message) {
			if *ctx == nil {
				*ctx = context.Background()
			}
		}), "a nil context): a message was accepted"},
		"writes into the message": {after(func(_ context.Context, m send.Message, _ *send.Receipt, err error) error {
			if len(m.Fallback) > 0 {
				m.Fallback[0] = send.LMS{Text: "other"}
			}
			return err
		}), "the message was changed"},
		"mixes up receipts": {after(func(_ context.Context, m send.Message, r *send.Receipt, err error) error {
			mu.Lock()
			defer mu.Unlock()
			if err == nil && m.RefKey != "" {
				last, *r = *r, last
			}
			return err
		}), "lacks the message's RefKey"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := bizppuriotest.CheckSender(t.Context(), c.s)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("CheckSender = %v, want %q", err, c.want)
			}
		})
	}
}

func TestCheckSender_Ends(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	s := sender(func(context.Context, send.Message) (send.Receipt, error) {
		t.Error("Send was called")
		return send.Receipt{}, nil
	})
	if err := bizppuriotest.CheckSender(ctx, s); !errors.Is(err, context.Canceled) {
		t.Errorf("CheckSender = %v, want the context's error", err)
	}
}

func ExampleCheckSender() {
	err := bizppuriotest.CheckSender(context.Background(), &bizppuriotest.Fake{})
	fmt.Println(err)
	// Output: <nil>
}
