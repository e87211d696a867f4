package send_test

import (
	"errors"
	"fmt"

	"github.com/go-bizppurio/sdk/send"
)

// The four outcomes: a switch over them needs no default.
func ExampleOutcomeOf() {
	errs := []error{
		nil,
		&send.Error{Outcome: send.Rejected, Reason: send.Refused, Code: 2000, Status: 400},
		&send.Error{Outcome: send.NotSent, Reason: send.RateLimited, Code: 5002, Status: 429},
		&send.Error{Outcome: send.Unknown, Reason: send.Timeout},
	}
	for _, err := range errs {
		switch send.OutcomeOf(err) {
		case send.Accepted:
			fmt.Println("accepted: wait for the delivery report")
		case send.Rejected:
			fmt.Println("rejected: mend it before you send it again")
		case send.NotSent:
			fmt.Println("not sent: may be sent again; rate limited:", errors.Is(err, send.RateLimited))
		case send.Unknown:
			fmt.Println("unknown: do not send it again, a report will tell")
		}
	}
	// Output:
	// accepted: wait for the delivery report
	// rejected: mend it before you send it again
	// not sent: may be sent again; rate limited: true
	// unknown: do not send it again, a report will tell
}

// Validate names every problem at once, and never the values.
func ExampleMessage_Validate() {
	m := send.Message{
		To: "010-1234-567",
		Content: send.AlimTalk{
			SenderKey: "key", TemplateCode: "ORDER01", Text: "주문이 접수되었습니다.",
			Buttons: []send.Button{{Name: "보기", Type: send.WebLink}},
		},
		Fallback: []send.Content{send.SMS{Text: "주문이 접수되었습니다. 🎉"}},
	}
	fmt.Println(m.Validate())
	// Output:
	// To: not a number in Korea; a number abroad needs Country
	// Content.Buttons[0].URLMobile: required
	// Fallback[0].Text: the character at 13, U+1F389, cannot be encoded in EUC-KR
}

// Content for many recipients is validated and encoded once.
func ExampleEncode() {
	content, err := send.Encode(send.LMS{Subject: "공지", Text: "내일은 쉽니다."})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, to := range []string{"010-0000-0001", "010-0000-0002"} {
		m := send.Message{To: to, From: "02-000-0000", RefKey: "notice-" + to[len(to)-1:], Content: content}
		body, err := m.AppendBody(nil, "account")
		fmt.Println(string(body), err)
	}
	// Output:
	// {"account":"account","refkey":"notice-1","type":"lms","from":"020000000","to":"01000000001","content":{"lms":{"subject":"공지","message":"내일은 쉽니다."}}} <nil>
	// {"account":"account","refkey":"notice-2","type":"lms","from":"020000000","to":"01000000002","content":{"lms":{"subject":"공지","message":"내일은 쉽니다."}}} <nil>
}

func ExampleTemplate_Render() {
	order := send.Template{
		SenderKey: "key", Code: "ORDER01", Text: "#{이름}님, 주문 #{번호}이 접수되었습니다.",
		Buttons: []send.Button{{Name: "보기", Type: send.WebLink, URLMobile: "https://example.com/orders/#{번호}"}},
	}
	content, err := order.Render(map[string]string{"이름": "홍길동", "번호": "A-1"})
	fmt.Println(content.Text, content.Buttons[0].URLMobile, err)
	_, err = order.Render(map[string]string{"이름": "홍길동", "주소": "서울"})
	fmt.Println(err)
	// Output:
	// 홍길동님, 주문 A-1이 접수되었습니다. https://example.com/orders/A-1 <nil>
	// Variables[번호]: missing
	// Variables[주소]: not in the template
}
