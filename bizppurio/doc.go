// Package bizppurio sends Kakao Alimtalk (알림톡), SMS, LMS, MMS, brand
// messages, RCS and Naver TalkTalk through Bizppurio (비즈뿌리오), and says with
// a type whether a message was sent.
//
//	client, err := bizppurio.New(bizppurio.Config{Account: account, Password: password, From: "0212345678"})
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	receipt, err := client.Send(ctx, send.Message{
//		To:      "010-1234-5678",
//		Content: send.SMS{Text: "인증번호는 123456 입니다."},
//	})
//	switch send.OutcomeOf(err) {
//	case send.Accepted: // done; a delivery report will say what became of it
//	case send.Rejected: // mend the message or the account
//	case send.NotSent: // may be sent again
//	case send.Unknown: // may have been sent: keep receipt.RefKey and wait for a report
//	}
//
// # One message, never twice
//
// A message to a customer cannot be taken back, and the vendor does not
// recognise one that it has seen: the same RefKey twice is two messages. So
// the Client repeats a call only where it is proven that the vendor did not
// take the message, and says Unknown where nobody can know.
//
// # The stages of a call
//
//	Send: validate → encode once → retry ⟲ [ ad window → rate → token → breaker{ engine → read → classify } ]
//
// The part in brackets is one attempt. The verdict of an attempt is decided
// in one place from three facts: how far the request got, which the engine
// proves; the HTTP status; and the decoded body. A token that the vendor
// refuses is renewed once inside the attempt.
//
// # One Client for the life of the program
//
// A Client owns a pool of connections, a token that all calls share, and a
// circuit breaker. Making one per message costs a TLS handshake and a token
// call for each. It is safe for concurrent use. Several accounts are several
// Clients on one shared engine.
package bizppurio
