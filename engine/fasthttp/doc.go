/*
Package fasthttp is a second engine for the Bizppurio client: it spends less
CPU on each request than the default one, which stands on net/http.

	e := fasthttp.New(engine.Config{})
	defer e.Close()
	client, err := bizppurio.New(bizppurio.Config{Account: account, Password: password, Engine: e})

It keeps the same contract as engine.New, and bizppuriotest.CheckEngine holds
both to it. What it takes from valyala/fasthttp is the form of a request and
the parser of an answer. The pool is its own, because fasthttp's HostClient
does not say which connection carries a request, and so cannot prove that
nothing was sent; has no contexts; and writes to an idle connection without
looking whether the server has closed it. HostClient's retries do not exist
here.

	RoundTrip ── place ── idle connection? ── look: closed? spoken to? too old?
	                │              └─ else dial: TCP, CONNECT, TLS
	                └─ count the bytes, then write ── read the answer ── body

Everything happens on the goroutine that calls RoundTrip. A request is written
completely before its answer is read.
*/
package fasthttp
