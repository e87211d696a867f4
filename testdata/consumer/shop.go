// Package shop is a stranger's program: it sees of the SDK what everybody
// sees. It must go on compiling, unchanged, from one minor version to the next.
package shop

import (
	"context"
	"errors"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
)

// Shop confirms orders.
type Shop struct {
	Sender send.Sender
	Later  func(refKey string, after time.Duration)
	Parked func(refKey string)
}

// Open returns a Shop on the account of the environment, and what closes it.
func Open() (*Shop, func() error, error) {
	cfg, err := bizppurio.ConfigFromEnv()
	if err != nil {
		return nil, nil, err
	}
	client, err := bizppurio.New(cfg)
	if err != nil {
		return nil, nil, err
	}
	return &Shop{Sender: client}, client.Close, nil
}

// Confirm sends a confirmation, and says whether the order needs a person.
func (s *Shop) Confirm(ctx context.Context, order, to string) error {
	_, err := s.Sender.Send(ctx, send.Message{
		To: to, RefKey: order,
		Content:  send.AlimTalk{SenderKey: "SENDERKEY", TemplateCode: "ORDER01", Text: "주문이 접수되었습니다."},
		Fallback: []send.Content{send.SMS{Text: "주문이 접수되었습니다."}},
	})
	switch send.OutcomeOf(err) {
	case send.Accepted:
		return nil
	case send.NotSent:
		if e, ok := errors.AsType[*send.Error](err); ok {
			s.Later(order, e.RetryAfter)
		}
		return nil
	case send.Unknown:
		s.Parked(order)
		return nil
	case send.Rejected:
	}
	return err
}
