// Quickstart sends an Alimtalk (알림톡) with an SMS to fall back on, and an SMS,
// and shows what came back.
//
// Without an account it starts the vendor's simulation inside and talks to it
// over real TLS. With BIZPPURIO_ACCOUNT, BIZPPURIO_PASSWORD, BIZPPURIO_FROM
// and BIZPPURIO_TO set it sends to the real vendor, which costs money.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	cfg, to, vendor, err := target()
	if err != nil {
		return err
	}
	if vendor != nil {
		defer vendor.Close()
	}
	client, err := bizppurio.New(cfg)
	if err != nil {
		return err
	}
	defer client.Close()

	alimtalk := send.Message{
		To: to,
		Content: send.AlimTalk{
			SenderKey: cmp.Or(os.Getenv("BIZPPURIO_SENDER_KEY"), "SENDERKEY"), TemplateCode: cmp.Or(os.Getenv("BIZPPURIO_TEMPLATE"), "ORDER01"),
			Text: "홍길동님, 주문이 접수되었습니다.",
		},
		Fallback: []send.Content{send.SMS{Text: "주문이 접수되었습니다."}},
	}
	sms := send.Message{To: to, Content: send.SMS{Text: "인증번호는 123456 입니다."}}

	for _, m := range []send.Message{alimtalk, sms} {
		receipt, err := client.Send(ctx, m)
		fmt.Printf("%-3s %-9s refkey=%s messagekey=%s\n", m.Type(), send.OutcomeOf(err), receipt.RefKey, receipt.MessageKey)
		if err != nil {
			return err
		}
	}
	if vendor != nil {
		fmt.Printf("token calls: %d, sends: %d, TLS connections: %d\n",
			vendor.Requests(bizppuriotest.PathToken), vendor.Requests(bizppuriotest.PathMessage), vendor.Conns())
	}
	return nil
}
