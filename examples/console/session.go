package main

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
)

// cookieName is that of the session's cookie. Cookies do not tell ports apart,
// so the name is the program's own.
const cookieName = "bizppurio_console"

var errNoSession = errors.New("console: no session")

// sessionOf returns the session of a request. It is the topic of its events
// and a capability: 130 random bits, in a cookie that scripts cannot read.
func sessionOf(r *http.Request) (string, error) {
	cookie, err := r.Cookie(cookieName)
	if err != nil || !wellFormed(cookie.Value) {
		return "", errNoSession
	}
	return cookie.Value, nil
}

// begin gives a browser a session unless it has one. One that a former run of
// the program gave is as good as any: nobody can guess it, and it is empty.
func begin(w http.ResponseWriter, r *http.Request) {
	if _, err := sessionOf(r); err == nil {
		return
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // G124: plain HTTP on loopback, where Secure would lose the cookie
		Name: cookieName, Value: rand.Text(), Path: "/", HttpOnly: true, Secure: r.TLS != nil,
		SameSite: http.SameSiteLaxMode, // Strict would begin anew whoever follows a link to the page
	})
}

// wellFormed reports whether s looks like rand.Text.
func wellFormed(s string) bool {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	return len(s) == len("0123456789ABCDEF0123456789") && strings.Trim(s, alphabet) == ""
}
