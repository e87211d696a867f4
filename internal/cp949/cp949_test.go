package cp949_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/korean"

	"github.com/go-bizppurio/sdk/internal/cp949"
)

// slow is Count by the encoder itself, rune by rune.
func slow(s string) (n, bad int) {
	enc := korean.EUCKR.NewEncoder()
	for index, r := range []rune(s) {
		out, err := enc.String(string(r))
		if err != nil || r == utf8.RuneError {
			return n, index
		}
		n += len(out)
	}
	return n, -1
}

func TestCount_EveryRune(t *testing.T) {
	t.Parallel()
	enc := korean.EUCKR.NewEncoder()
	encodable := 0
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		wantN, wantBad := 0, 0
		if out, err := enc.String(string(r)); err == nil && r != utf8.RuneError {
			wantN, wantBad = len(out), -1
			encodable++
		}
		if n, bad := cp949.Count(string(r)); n != wantN || bad != wantBad {
			t.Errorf("Count(%U) = %d, %d, want %d, %d", r, n, bad, wantN, wantBad)
		}
	}
	if want := 17176; encodable != want {
		t.Errorf("runes that CP949 has = %d, want %d", encodable, want)
	}
}

// TestCount_Vectors covers case 86.
func TestCount_Vectors(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/text.tsv")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	rows := 0
	for lines.Scan() {
		row := strings.Split(lines.Text(), "\t")
		var text string
		if err := json.Unmarshal([]byte(row[0]), &text); err != nil {
			t.Fatal(err)
		}
		n, bad := cp949.Count(text)
		got := strconv.Itoa(n)
		if bad >= 0 {
			got = "unencodable:" + strconv.Itoa(bad)
		}
		if got != row[1] {
			t.Errorf("Count(%s) = %s, want %s: %s", row[0], got, row[1], row[4])
		}
		rows++
	}
	if err := lines.Err(); err != nil || rows < 79 {
		t.Errorf("read %d rows, error %v", rows, err)
	}
}

func TestCount_InvalidUTF8(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		n, bad     int
	}{
		{"lone byte", "가\xff나", 2, 1},
		{"cut syllable", "ab\xea\xb0", 2, 2},
		{"surrogate", "\xed\xa0\x80", 0, 0},
		{"overlong", "\xc0\x80", 0, 0},
		{"replacement character", "a\uFFFD", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if n, bad := cp949.Count(tt.text); n != tt.n || bad != tt.bad {
				t.Errorf("Count(%q) = %d, %d, want %d, %d", tt.text, n, bad, tt.n, tt.bad)
			}
		})
	}
}

func TestCount_DoesNotAllocate(t *testing.T) { //nolint:paralleltest // counts allocations
	text := strings.Repeat("가나다 abc ", 100)
	if allocs := testing.AllocsPerRun(100, func() { cp949.Count(text) }); allocs != 0 {
		t.Errorf("Count allocates %v times, want 0", allocs)
	}
}

func FuzzCount(f *testing.F) {
	for _, seed := range []string{"", "안녕하세요 abc", "뷁똠펲", "♥\uFE0F", "\uFFFD", "가\xff", "한글", "€ 1,000"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, bad := cp949.Count(s)
		if wantN, wantBad := slow(s); n != wantN || bad != wantBad {
			t.Errorf("Count(%q) = %d, %d, want %d, %d", s, n, bad, wantN, wantBad)
		}
	})
}

func BenchmarkCount_1KB(b *testing.B) {
	text := strings.Repeat("가나다라 abcde ", 50)
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		cp949.Count(text)
	}
}
