package main_test

import (
	"context"

	readme "github.com/go-bizppurio/sdk/examples/readme"
	bizppuriotest "github.com/go-bizppurio/sdk/testing"
)

// The numbers decide what happens: see the package comment of bizppuriotest.
func Example() {
	vendor := &bizppuriotest.Fake{}
	for _, to := range []string{"010-0000-0000", "010-0000-2000", "010-0000-5004", "010-0000-6001"} {
		readme.Confirm(context.Background(), vendor, "2026-0001", to)
	}
	// Output:
	// Bizppurio has it; a delivery report will follow for order-2026-0001
	// mend it first: bizppurio: rejected: refused (code 2000, status 400)
	// may be sent again: bizppurio: not_sent: busy (code 5004, status 503)
	// may have been sent, so never again: wait for the report of order-2026-0001
}
