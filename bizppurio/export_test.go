package bizppurio

import (
	"context"

	"github.com/go-bizppurio/sdk/report"
)

// Poll and Confirm are the two calls of ConsumeReports.
func (c *Client) Poll(ctx context.Context) ([]report.Report, error) { return c.poll(ctx) }

func (c *Client) Confirm(ctx context.Context, ids []string) error { return c.confirm(ctx, ids) }

// Paths lists the endpoints that operations name.
func Paths() (all []string) {
	for _, op := range operations() {
		all = append(all, op.path)
	}
	return all
}
