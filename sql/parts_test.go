package sql

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestShortFormsAreWrittenOut(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1": "SELECT 1",
		"a,\nreturn_{window},\nb": "a,\nreturn_1m,\nreturn_3m,\nreturn_6m,\nreturn_1y,\nreturn_ytd,\nreturn_3y_ann,\n" +
			"return_5y_ann,\nreturn_last_closed_month,\nb",
		"(\n  r{window but ytd} '{window}: {place}'\n)": "(\n  r1m '1m: 1',\n  r3m '3m: 2',\n" +
			"  r6m '6m: 3',\n  r1y '1y: 4',\n  r3y_ann '3y_ann: 6',\n  r5y_ann '5y_ann: 7',\n" +
			"  rlast_closed_month 'last_closed_month: 8'\n)",
		"CREATE TABLE t (batch UInt64)\nparts.stored_by_batch(key: a, b)\nCOMMENT ''": "CREATE TABLE t (batch UInt64)\n" +
			"ENGINE = MergeTree\nPARTITION BY batch\nORDER BY (batch, a, b)\nCOMMENT ''",
		"parts.newest_facts(table: fact_x; key: k)": "SELECT *\nFROM fact_x\n" +
			"WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))\n" +
			"ORDER BY k, revision DESC, source_sha256 DESC, source_line DESC\nLIMIT 1 BY k",
	} {
		if got := inFull("views", text); got != want {
			t.Errorf("%q is written out as %q, want %q", text, got, want)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a part without a file does not panic")
		}
	}()
	inFull("views", "parts.unknown")
}

func TestEveryPartIsUsed(t *testing.T) {
	var all strings.Builder
	if err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(path)
		for line := range strings.Lines(string(content)) {
			if !strings.HasPrefix(strings.TrimSpace(line), "--") {
				all.WriteString(line)
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts("parts") {
		if script.Name != "windows" && !regexp.MustCompile(`\bparts\.`+script.Name+`\b`).MatchString(all.String()) {
			t.Errorf("no statement uses parts.%s", script.Name)
		}
	}
}

func TestTheWindowsOfLinesAreThoseThatReturnsAreComputedFor(t *testing.T) {
	var computed []string
	first := regexp.MustCompile(`\('(\w+)',`)
	for _, found := range first.FindAllStringSubmatch(text("functions", "cuota_windows"), -1) {
		computed = append(computed, found[1])
	}
	if !slices.Equal(windows(), computed) {
		t.Errorf("lines are repeated for %q, and returns are computed for %q", windows(), computed)
	}
}
