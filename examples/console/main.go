// Console is a page on which a person sends test messages and watches what
// becomes of them: outcomes at once, delivery reports (전송 결과) as they come.
//
//	cd examples/console && go run .
//
// Without an account the vendor is simulated inside the program. With
// BIZPPURIO_ACCOUNT, _PASSWORD and _FROM in the environment messages go to the
// real vendor and cost money: see the README.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-bizppurio/sdk/bizppurio"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	var s settings
	flags := flag.NewFlagSet("console", flag.ContinueOnError)
	flags.StringVar(&s.addr, "addr", "127.0.0.1:8090", "address to listen on")
	flags.DurationVar(&s.rtt, "rtt", 2*time.Millisecond, "simulated round trip")
	flags.DurationVar(&s.service, "service", 15*time.Millisecond, "simulated time to serve a request")
	flags.DurationVar(&s.reportDelay, "report-delay", 700*time.Millisecond, "simulated time until a delivery report comes")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	s.attemptTimeout = 3 * time.Second // nobody wants to watch 6003 for 15
	if os.Getenv("BIZPPURIO_ACCOUNT") != "" {
		cfg, err := bizppurio.ConfigFromEnv()
		if err != nil {
			return err
		}
		s.real = &account{
			Config:    cfg,
			secret:    os.Getenv("BIZPPURIO_REPORT_SECRET"),
			senderKey: os.Getenv("BIZPPURIO_SENDERKEY"),
			template:  os.Getenv("BIZPPURIO_TEMPLATE"),
		}
	}

	p, err := start(ctx, s)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(out, p.greeting())
	select {
	case <-ctx.Done():
	case err = <-p.failed:
	}
	return errors.Join(err, p.close(context.WithoutCancel(ctx)))
}
