package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"unicode/utf8"

	"github.com/go-bizppurio/sdk/send"
)

// readTemplate reads a [send.Template]: the keys are the names of its fields,
// and those inside buttons, items and links are the vendor's.
func readTemplate(name string) (send.Template, error) {
	var tpl send.Template
	b, err := os.ReadFile(name) //nolint:gosec // the user names it
	if err != nil {
		return tpl, err
	}
	if !utf8.Valid(b) {
		return tpl, errors.New("not UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(b, []byte(bom))))
	d.DisallowUnknownFields()
	return tpl, d.Decode(&tpl)
}
