package token_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-bizppurio/sdk/token"
)

func ExampleCache() {
	fetches := 0
	fetch := func(context.Context) (token.Token, error) { // POST /v1/token in real life
		fetches++
		return token.Token{Value: fmt.Sprint("tok-", fetches), Expires: time.Now().Add(24 * time.Hour)}, nil
	}
	c := token.NewCache(fetch, token.Options{})
	defer func() { _ = c.Close() }()

	ctx := context.Background()
	var t token.Token
	for range 1000 {
		var err error
		if t, err = c.Token(ctx); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(t, "after", fetches, "fetch")

	c.Invalidate(t) // the server refused it
	_, _ = c.Token(ctx)
	fmt.Println("then", fetches)
	// Output:
	// REDACTED after 1 fetch
	// then 2
}
