package tablefile_test

import (
	"bytes"
	"strings"
	"testing"

	"cuota/internal/tablefile"
)

func TestTextsThatASpreadsheetWouldRunAreInert(t *testing.T) {
	t.Parallel()
	given := "\"name\",\"n\"\n\"=1+1\",-1.5\n\"+a\"\"=b\",\\N\n\"-x, " +
		"=y\",2\n\"@z\n=w\",3\n\"\tq\",4\n\"\rr\",5\n\"\",6\n\"\"\"=\",7\nplain,8\n\"2026-07-31\",-9e-3\n"
	want := "\"name\",\"n\"\n\"'=1+1\",-1.5\n\"'+a\"\"=b\",\\N\n\"'-x, " +
		"=y\",2\n\"'@z\n=w\",3\n\"'\tq\",4\n\"'\rr\",5\n\"\",6\n\"\"\"=\",7\nplain,8\n\"2026-07-31\",-9e-3\n"
	for _, size := range []int{1, 2, 7, len(given)} { // however the text is cut
		var out bytes.Buffer
		to := tablefile.NewInertCSV(&out)
		for rest := given; rest != ""; rest = rest[min(size, len(rest)):] {
			if _, err := to.Write([]byte(rest[:min(size, len(rest))])); err != nil {
				t.Fatal(err)
			}
		}
		if out.String() != want {
			t.Errorf("in parts of %d: %q, want %q", size, out.String(), want)
		}
	}
	var out bytes.Buffer
	w, err := tablefile.NewWriter(&out, tablefile.CSV,
		[]tablefile.Column{{Name: "text", Kind: tablefile.Text, Nullable: true}, {Name: "n", Kind: tablefile.Number}})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"=a", "+a", "-a", "@a", "\ta", "\ra", "a", ""} {
		if err := w.Write(text, -1.5); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "'"); got != 6 || strings.Count(out.String(), ",-1.5\n") != 8 {
		t.Errorf("%q", out.String())
	}
}
