package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/go-bizppurio/sdk/send"
)

// shop confirms orders. It depends on send.Sender, not on the client: its
// unit test puts a fake there.
type shop struct {
	sender send.Sender
	log    *slog.Logger
	park   func(refKey string) // keeps the key of a message that may have been sent
}

// confirm tells the customer that the order was taken. The RefKey is made
// from the order before anything is sent, so that a report finds it again.
func (s *shop) confirm(ctx context.Context, order, phone string) error {
	m := send.Message{
		To: phone, RefKey: "order-" + order,
		Content:  send.AlimTalk{SenderKey: "SENDERKEY", TemplateCode: "ORDER01", Text: "주문이 접수되었습니다."},
		Fallback: []send.Content{send.SMS{Text: "주문이 접수되었습니다."}},
	}
	receipt, err := s.sender.Send(ctx, m)
	switch send.OutcomeOf(err) {
	case send.Accepted:
		s.log.InfoContext(ctx, "order confirmed", "refkey", receipt.RefKey)
		return nil
	case send.Unknown:
		// It may have been sent: sending again could reach the customer twice.
		s.park(receipt.RefKey)
		s.log.WarnContext(ctx, "order may be confirmed", "refkey", receipt.RefKey, "error", err)
		return nil
	case send.NotSent:
		return fmt.Errorf("try again later: %w", err)
	case send.Rejected:
		return fmt.Errorf("cannot be sent as it is: %w", err)
	}
	return err
}

// ServeHTTP takes POST /orders?order=…&phone=….
func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := s.confirm(r.Context(), r.FormValue("order"), r.FormValue("phone"))
	var refusal *send.Error
	switch {
	case err == nil:
		w.WriteHeader(http.StatusAccepted)
	case errors.As(err, &refusal) && refusal.Outcome == send.Rejected:
		http.Error(w, "the phone number or the message is not valid", http.StatusUnprocessableEntity)
	default:
		http.Error(w, "please try again", http.StatusServiceUnavailable)
	}
}
