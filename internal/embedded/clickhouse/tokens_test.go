package clickhouse

import (
	"strings"
	"testing"
)

func TestInsertsAreSplitWhereTheirDataBegins(t *testing.T) {
	for text, want := range map[string]insertHead{
		"INSERT INTO t FORMAT Native\n\x01\x02":              {"INSERT INTO t", "Native", 28},
		"insert into t format CSV  \r\n\n1":                  {"insert into t", "CSV", 28},
		"INSERT INTO t VALUES (1)":                           {"INSERT INTO t", "Values", 20},
		"INSERT INTO t(a,b)VALUES(1)":                        {"INSERT INTO t(a,b)", "Values", 24},
		"INSERT INTO format.values (format) FORMAT TSV\nx":   {"INSERT INTO format.values (format)", "TSV", 46},
		"INSERT INTO `d` . `a\\`b` FORMAT TSV\nx":            {"INSERT INTO `d` . `a\\`b`", "TSV", 36},
		"INSERT INTO values VALUES (1)":                      {"INSERT INTO values", "Values", 25},
		"INSERT INTO t /* VALUES */ -- FORMAT\n VALUES (1)":  {"INSERT INTO t", "Values", 44},
		"INSERT INTO t SETTINGS a = 'VALUES' FORMAT `CSV` x": {"INSERT INTO t SETTINGS a = 'VALUES'", "CSV", 49},
	} {
		got, ok := splitInsert(text)
		if !ok || got != want {
			t.Errorf("%q: %+v %v, want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "INSERT", "INSERT INTO", "INSERT INTO t", "SELECT 1 FORMAT CSV", "INSERT INTO t SELECT 1 FORMAT CSV",
		"INSERT INTO t (a) SELECT 1", "INSERT INTO t WITH 1 AS x SELECT x", "INSERT INTO t FROM INFILE 'x' FORMAT CSV",
		"-- INSERT INTO t VALUES (1)", "INSERT INTO t FORMAT", "INSERT INTO t 'VALUES'",
	} {
		if got, ok := splitInsert(text); ok {
			t.Errorf("%q: split into %+v", text, got)
		}
	}
}

func TestOutputFormatIsTheClauseAndNothingElse(t *testing.T) {
	for text, want := range map[string][2]string{
		"SELECT 1":                             {"", "select"},
		"select 1 format JSON":                 {"JSON", "select"},
		"SELECT 1 FORMAT\n`CSV` ;":             {"CSV", "select"},
		"SELECT ' FORMAT JSON' -- FORMAT JSON": {"", "select"},
		"SELECT format('{}', 1)":               {"", "select"},
		"(SELECT 1) FORMAT TSV":                {"TSV", "("},
		"/* x */ WITH 1 AS x SELECT x":         {"", "with"},
		"":                                     {"", ""},
	} {
		if format, verb := outputFormat(text); format != want[0] || verb != want[1] {
			t.Errorf("%q: %q %q", text, format, verb)
		}
	}
}

// The scanner must cope with anything, always move on, and keep each name.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{"SELECT 1", "INSERT INTO `a``b`.\"c\" (x) FORMAT CSV\n1", "$tag$ x $tag$", "'\\", "/* ", "`\\x66ile`('x')", "$", "\x00\xff", "((()"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := scanner{text: text}
		last := 0
		for {
			token, ok := s.next()
			if !ok {
				break
			}
			if token.end <= last || token.end > len(text) {
				t.Fatalf("token %+v ends at %d after one at %d", token, token.end, last)
			}
			last = token.end
		}
		if insert, ok := splitInsert(text); ok {
			if insert.data > len(text) || !strings.HasPrefix(text, insert.statement) || insert.format == "" {
				t.Fatalf("split into %+v", insert)
			}
		}
		_, _ = outputFormat(text)
		_ = checkNames(text, nil)
	})
}

// Whatever stands around it, a name in a text is found.
func FuzzNamesAreFound(f *testing.F) {
	f.Add("SELECT ", "('x')")
	f.Add("SELECT 'a''b', `c`, ", "")
	f.Fuzz(func(t *testing.T, before, after string) {
		s := scanner{text: before}
		for {
			if _, ok := s.next(); !ok {
				break
			}
		}
		// Only a text that is closed, as the engine writes them, is followed
		// by names at all.
		if strings.ContainsAny(before, "'`\"$#") || strings.Contains(before, "--") || strings.Contains(before, "/*") {
			return
		}
		if checkNames(before+" file "+after, nil) == nil {
			t.Errorf("%q + file + %q passes", before, after)
		}
	})
}

// A text made to be slow must not be: this one has a million bytes and as many
// openings of heredocs as fit, none of which ends.
func TestScannerIsLinear(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < maxStatementBytes; i++ {
		b.WriteString("$")
		for n := i; n > 0; n /= 26 {
			b.WriteByte(byte('a' + n%26))
		}
		b.WriteString("$ ")
	}
	s, tokens := scanner{text: b.String()}, 0
	for _, ok := s.next(); ok; _, ok = s.next() {
		tokens++
	}
	if tokens < 100000 {
		t.Errorf("%d tokens", tokens)
	}
}

func TestHeredocsAreLiterals(t *testing.T) {
	for text, want := range map[string]string{
		"a $$ b $$ c":       "a|$$ b $$|c",
		"$t$ x $$ y $t$ z":  "$t$ x $$ y $t$|z",
		"$t$ never":         "$|t$|never",
		"$a$b$a$ c":         "$a$b$a$|c",
		"a$$b":              "a$$b",
		"'$$' file $$ x $$": "'$$'|file|$$ x $$",
	} {
		s := scanner{text: text}
		var got []string
		for token, ok := s.next(); ok; token, ok = s.next() {
			got = append(got, token.text)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}
