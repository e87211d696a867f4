// Package send holds the messages that go out through Bizppurio (비즈뿌리오)
// and the words for what became of them. It sends nothing itself: a [Sender]
// does, such as *bizppurio.Client.
//
//	receipt, err := client.Send(ctx, send.Message{
//		To:       "010-0000-0000",
//		Content:  send.AlimTalk{SenderKey: key, TemplateCode: "ORDER01", Text: text},
//		Fallback: []send.Content{send.SMS{Text: "주문이 접수되었습니다."}},
//	})
//	switch send.OutcomeOf(err) {
//	case send.Accepted: // Bizppurio has it; whether it arrives, a delivery report says
//	case send.Rejected: // mend it first: sent again unchanged, it is refused again
//	case send.NotSent: // may be sent again
//	case send.Unknown: // it may be on its way: do not send it again, wait for the report
//	}
//
// The outcome rule: a message that was sent twice cannot be taken back, so the
// zero value of everything that judges is Unknown, and NotSent is said only
// where it is proven. The vendor does not recognise a RefKey that it has seen.
//
// [Message.Validate] knows the vendor's limits, so that most refusals cost no
// request. [Encode] prepares one content for many recipients, [Template] fills
// in the variables of an alimtalk, and [All] sends a whole sequence.
//
// Values of this package are plain data, which any number of goroutines may
// read at once. What fmt and slog print of them names the type only, never a
// number or a text. Out of reach is what fmt prints of such a value in an
// unexported field of yours, and what slog's JSON handler prints of a slice.
package send
