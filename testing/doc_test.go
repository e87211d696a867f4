package bizppuriotest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/go-bizppurio/sdk/send"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// The numbers of the package comment are those that do something.
func TestDoc_Numbers(t *testing.T) {
	t.Parallel()
	comment, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\t010-0000-(\d{4})  `).FindAllSubmatch(comment, -1) {
		to := "0100000" + string(m[1])
		listed[to] = true
		if !bizppuriotest.Special(to) && to != "01000000000" {
			t.Errorf("%s is in the package comment and does nothing", to)
		}
	}
	for n := range 10_000 {
		to := fmt.Sprintf("0100000%04d", n)
		ranges := n >= 301 && n <= 308 || n >= 400 && n <= 599 || n == 2000 || n >= 3000 && n <= 3014 || n >= 5001 && n <= 5005 || n == 9000
		if bizppuriotest.Special(to) && !listed[to] && !ranges {
			t.Errorf("%s does something and is not in the package comment", to)
		}
	}
}

// Reports that come late.
func TestReports_Late(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		to   string
		opts []bizppuriotest.Option
	}{
		"by number": {"01000001004", nil},
		"by option": {to, []bizppuriotest.Option{bizppuriotest.WithReportDelay(time.Second)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := bizppuriotest.NewServer(t, c.opts...)
			cl := newClient(t, s)
			start := time.Now()
			cl.must(bizppuriotest.PathMessage, sms("order-1", c.to))
			eventually(t, func() bool { return s.Reports() == 1 }, "the report never comes")
			if took := time.Since(start); took < time.Second {
				t.Errorf("the report came after %v, want it late", took)
			}
		})
	}
}

// A fake needs no set-up.
func ExampleFake() {
	var fake bizppuriotest.Fake
	letter := send.Message{To: "010-0000-0000", From: "02-0000-0000", Content: send.SMS{Text: "안녕하세요"}}

	_, err := fake.Send(context.Background(), letter)
	fmt.Println(send.OutcomeOf(err))

	letter.To = "010-0000-3008" // the vendor has too many connections
	_, err = fake.Send(context.Background(), letter)
	fmt.Println(send.OutcomeOf(err), errors.Is(err, send.Busy))

	fake.Script(send.Timeout) // the next call
	_, err = fake.Send(context.Background(), letter)
	fmt.Println(send.OutcomeOf(err))
	fmt.Println(len(fake.Sent()), "calls")
	// Output:
	// accepted
	// not_sent true
	// unknown
	// 3 calls
}

// A server for a program; tests call NewServer.
func ExampleStart() {
	vendor, err := bizppuriotest.Start(bizppuriotest.WithAccount("shop", "secret"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = vendor.Close() }()
	vendor.Misbehave(bizppuriotest.Drop().AfterAccepting(), bizppuriotest.Code(3008).Times(2))

	// Make a client with vendor.URL(), vendor.TLSConfig(), vendor.Account()
	// and vendor.Password(), send, and look at the books:
	fmt.Println(vendor.Accepted("order-0001"), vendor.Conns(), slices.Concat(vendor.Duplicates(), vendor.Violations()))
	// Output: 0 0 []
}
