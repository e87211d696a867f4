package main

import (
	"errors"
	"sync"

	"github.com/go-bizppurio/sdk/bizppurio"
	"github.com/go-bizppurio/sdk/engine"
	"github.com/go-bizppurio/sdk/send"
)

const from = "02-1234-5678"

// newClient makes a client as an application does: with the default engine if
// e is nil, and without telemetry.
func newClient(v *vendor, pool engine.Config, e engine.Engine) (*bizppurio.Client, error) {
	if e == nil {
		pool.TLS = v.tls()
	}
	return bizppurio.New(bizppurio.Config{
		Account: v.Account, Password: v.Password, BaseURL: v.URL, From: from,
		Pool: pool, Engine: e,
	})
}

// message is an Alimtalk (알림톡) with a text to fall back on, about 560 bytes of
// JSON. The client gives it a RefKey.
func message() send.Message {
	return send.Message{
		To: "010-0000-0000",
		Content: send.AlimTalk{
			SenderKey: "0123456789abcdef0123456789abcdef01234567", TemplateCode: "ORDER01",
			Text:    "홍길동님, 주문하신 상품이 발송되었습니다.\n운송장 번호는 배송 조회에서 확인하실 수 있습니다.",
			Buttons: []send.Button{{Name: "배송 조회", Type: send.WebLink, URLMobile: "https://example.com/orders/20260001"}},
		},
		Fallback: []send.Content{send.SMS{Text: "주문하신 상품이 발송되었습니다."}},
	}
}

// bodies are those of n messages, each with a RefKey of its own.
func (v *vendor) bodies(n int) ([][]byte, error) {
	all := make([][]byte, n)
	for i := range all {
		m := message()
		m.From, m.RefKey = from, send.NewRefKey()
		var err error
		if all[i], err = m.AppendBody(nil, v.Account); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// parallel lets callers make calls, numbered from 0, as fast as they can.
func parallel(callers, each int, call func(i int) error) error {
	failed := make([]error, callers)
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := range each {
				if failed[c] = call(c*each + i); failed[c] != nil {
					return
				}
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}
