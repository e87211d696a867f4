package main

import (
	"embed"
	"io/fs"
	"net/http"
)

// files are the page as it is served: no framework, no build step.
//
//go:embed web
var files embed.FS

// assets serves the page and gives it a session.
func assets() http.Handler {
	web, err := fs.Sub(files, "web")
	if err != nil {
		return http.NotFoundHandler() // cannot be: the folder is embedded
	}
	server := http.FileServerFS(web)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache") // the next version of the program may differ
		if r.URL.Path == "/" {
			begin(w, r)
		}
		server.ServeHTTP(w, r)
	})
}
