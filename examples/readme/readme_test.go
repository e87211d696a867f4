package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../.."

// block is a fenced block of a README, and the file it is taken from.
type block struct {
	language, file, text string
	line                 int
}

func readmeLines(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

func blocks(t *testing.T, name string) []block {
	t.Helper()
	lines := readmeLines(t, name)
	var found []block
	for i := 0; i < len(lines); i++ {
		language, fenced := strings.CutPrefix(lines[i], "```")
		if !fenced {
			continue
		}
		b := block{language: language, line: i + 1}
		if i > 0 {
			file, _ := strings.CutPrefix(lines[i-1], "<!-- code: ")
			b.file = strings.TrimSuffix(file, " -->")
		}
		start := i + 1
		for i++; i < len(lines) && lines[i] != "```"; i++ {
		}
		b.text = strings.Join(lines[start:i], "\n") + "\n"
		found = append(found, b)
	}
	return found
}

// TestCode holds the Go code of both READMEs to files that are compiled and
// tested: a block that begins with a comment or a package clause is the whole
// file, any other stands in it, indented by one function body.
func TestCode(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"README.md", "README.ko.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compared := 0
			for _, b := range blocks(t, name) {
				if b.language != "go" {
					continue
				}
				compared++
				code, err := os.ReadFile(filepath.Join(root, b.file))
				if err != nil {
					t.Errorf("%s:%d: a Go block needs a line <!-- code: file --> before it: %v", name, b.line, err)
					continue
				}
				if strings.Contains(b.text, "\npackage ") {
					if diff := cmp.Diff(string(code), b.text); diff != "" {
						t.Errorf("%s:%d: differs from %s (-file +README):\n%s", name, b.line, b.file, diff)
					}
					continue
				}
				if !strings.Contains(string(code), indented(b.text)) {
					t.Errorf("%s:%d: this block does not stand in %s:\n%s", name, b.line, b.file, b.text)
				}
			}
			if compared == 0 {
				t.Errorf("%s has no Go block", name)
			}
		})
	}
}

// indented returns the lines of a function body as gofmt has them.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteByte('\t')
		}
		b.WriteString(line)
	}
	return b.String()
}

// TestTwins compares the READMEs with each other: one heading for each, in the
// same order, and the same code.
func TestTwins(t *testing.T) {
	t.Parallel()
	shape := func(name string) (headings []string, code []string) {
		lines := readmeLines(t, name)
		if len(lines) >= 250 {
			t.Errorf("%s has %d lines, want fewer than 250", name, len(lines))
		}
		fenced := false
		for _, line := range lines {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if level, _, ok := strings.Cut(line, " "); ok && !fenced && strings.Trim(level, "#") == "" && level != "" {
				headings = append(headings, level)
			}
		}
		for _, b := range blocks(t, name) {
			if b.language == "go" || b.language == "sh" {
				code = append(code, b.text)
			}
		}
		return headings, code
	}
	headings, code := shape("README.md")
	koHeadings, koCode := shape("README.ko.md")
	if diff := cmp.Diff(headings, koHeadings); diff != "" {
		t.Errorf("levels of the headings (-README.md +README.ko.md):\n%s", diff)
	}
	if diff := cmp.Diff(code, koCode); diff != "" {
		t.Errorf("code (-README.md +README.ko.md):\n%s", diff)
	}
}

// TestLinks follows the relative links of the papers.
func TestLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"README.md", "README.ko.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		for i, line := range readmeLines(t, name) {
			for _, part := range strings.Split(line, "](")[1:] {
				target, _, _ := strings.Cut(part, ")")
				target, _, _ = strings.Cut(target, "#")
				if target == "" || strings.Contains(target, "://") {
					continue
				}
				if _, err := os.Stat(filepath.Join(root, target)); err != nil {
					t.Errorf("%s:%d: a link leads nowhere: %v", name, i+1, err)
				}
			}
		}
	}
}
