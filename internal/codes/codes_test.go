package codes_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-bizppurio/sdk/internal/codes"
)

// TestTable: the generated table is what codes.tsv says, row by row.
func TestTable(t *testing.T) {
	t.Parallel()
	tsv, err := os.ReadFile("codes.tsv")
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(string(tsv)), "\n")[1:]
	if len(rows) < 500 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, line := range rows {
		row := strings.Split(line, "\t")
		family, english, korean := codes.Family(row[0]), row[4], row[3]
		code, err := strconv.Atoi(row[1])
		if err != nil {
			t.Fatal(err)
		}
		if !codes.Known(family, code) || codes.Text(family, code) != english || codes.Korean(family, code) != korean {
			t.Errorf("%s %d = %q, %q, want %q, %q", family, code, codes.Text(family, code), codes.Korean(family, code), english, korean)
		}
	}
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	if codes.Known(codes.API, 1) || codes.Known(codes.SMS, 1000) || codes.Text(codes.Kakao, 1000) != "" {
		t.Error("a code is known that its family does not have")
	}
}
