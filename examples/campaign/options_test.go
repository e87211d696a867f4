package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse_refuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list, link := filepath.Join(dir, "list"), filepath.Join(dir, "link")
	if err := os.WriteFile(list, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(list, link); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"-in a -template b -only unknown":                   "never sent again",
		"-in a -template b -only accepted":                  "never sent again",
		"-in a -template b more":                            "more",
		"-in a -template b -encoding x":                     "utf-8 or euc-kr",
		"-in a -template b -parallel 0":                     "at least 1",
		"-in a":                                             "required",
		"-in a -template b -out a":                          "-in and -out are the same",
		"-in a -template b -out ./a":                        "-in and -out are the same",
		"-in a -template b -out x/../b":                     "-template and -out are the same",
		"-in a -template b -out c -journal ./c":             "-journal and -out are the same",
		"-in a -template b -journal ./b":                    "-template and -journal are the same",
		"-in c.part -template b -out c":                     "-in and -out are the same",
		"-in " + list + " -template b -out " + link:         "-in and -out are the same",
		"-in r.csv -only not_sent -template b -out r.csv":   "-in and -out are the same",
		"-in r -only not_sent -template b -out ./r.journal": "-journal and -out are the same",
	} {
		if _, err := parse(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("parse(%s) = %v, want %q in it", args, err, want)
		}
	}
}

func TestParse_defaults(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][2]string{
		"-in a":                       {"a.result.csv", "a.result.csv.journal"},
		"-in a -out b":                {"b", "b.journal"},
		"-in b -out c -only not_sent": {"c", "b.journal"},
		"-in b -only not_sent":        {"b.result.csv", "b.journal"},
		"-in a -out b -journal j":     {"b", "j"},
	} {
		o, err := parse(append(strings.Fields(args), "-template", "t"))
		if got := [2]string{o.out, o.journal}; err != nil || got != want {
			t.Errorf("parse(%s) = %v, %v, want out and journal %v", args, got, err, want)
		}
	}
}

func TestReadTemplate_encoding(t *testing.T) {
	t.Parallel()
	const text = `{"SenderKey":"K","Code":"C","Text":"점검 안내입니다"}`
	name := filepath.Join(t.TempDir(), "template.json")
	for _, tt := range []struct {
		what    string
		content []byte
		want    string // in the error
	}{
		{"UTF-8", []byte(text), ""},
		{"UTF-8 with BOM", []byte(bom + text), ""},
		{"EUC-KR", eucKR(t, text), "not UTF-8"},
	} {
		if err := os.WriteFile(name, tt.content, 0o600); err != nil {
			t.Fatal(err)
		}
		tpl, err := readTemplate(name)
		switch {
		case tt.want == "" && (err != nil || tpl.Text != "점검 안내입니다"):
			t.Errorf("%s: readTemplate() = %q, %v, want the text", tt.what, tpl.Text, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: readTemplate() = %v, want %q in it", tt.what, err, tt.want)
		}
	}
}
