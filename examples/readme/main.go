// Readme is the program at the top of README.md; it sends to the real vendor.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/send"
)

func main() {
	cfg, err := bizppurio.ConfigFromEnv() // BIZPPURIO_ACCOUNT, BIZPPURIO_PASSWORD, BIZPPURIO_FROM
	if err != nil {
		log.Fatal(err)
	}
	client, err := bizppurio.New(cfg) // one for the life of the program
	if err != nil {
		log.Fatal(err)
	}
	confirm(context.Background(), client, "2026-0001", "010-1234-5678")
	_ = client.Close() // waits for what is on the wire
}

// confirm tells a customer by 알림톡, or else by SMS, that an order is in.
func confirm(ctx context.Context, sender send.Sender, order, to string) {
	receipt, err := sender.Send(ctx, send.Message{
		To:     to,
		RefKey: "order-" + order, // comes back in delivery reports
		Content: send.AlimTalk{
			SenderKey: "SENDERKEY", TemplateCode: "ORDER01",
			Text: "주문 " + order + "이 접수되었습니다.",
		},
		Fallback: []send.Content{send.SMS{Text: "주문이 접수되었습니다."}},
	})
	switch send.OutcomeOf(err) {
	case send.Accepted:
		fmt.Println("Bizppurio has it; a delivery report will follow for", receipt.RefKey)
	case send.Rejected:
		fmt.Println("mend it first:", err)
	case send.NotSent:
		fmt.Println("may be sent again:", err)
	case send.Unknown:
		fmt.Println("may have been sent, so never again: wait for the report of", receipt.RefKey)
	}
}
