package tablefile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/tablefile"
	"cuota/internal/testkit/clienttest"
	"cuota/internal/testkit/longtest"
	"cuota/internal/testkit/parquettest"
)

// The file testdata/arrowschema.txt was written with arrow-go 18.8.0, in two lines: without texts, and with them.
func TestTheSchemaOfArrowHasTheBytesOfArrowGo(t *testing.T) {
	t.Parallel()
	var columns []tablefile.Column
	for kind := tablefile.Day; kind <= tablefile.Flag; kind++ {
		for i, nullable := range []bool{false, true} {
			columns = append(columns, tablefile.Column{Name: fmt.Sprintf("column %d-%d", kind, i), Kind: kind,
				Nullable: nullable})
		}
	}
	text, err := os.ReadFile(filepath.Join("testdata", "arrowschema.txt"))
	must(t, err)
	want := strings.Fields(string(text))
	same := func(want string, notes ...tablefile.Note) {
		var out bytes.Buffer
		w, err := tablefile.NewWriter(&out, tablefile.Parquet, columns, notes...)
		must(t, err)
		must(t, w.End())
		if got := parquettest.Read(t, out.Bytes()).Notes["ARROW:schema"]; got != want {
			t.Errorf("with %d notes the schema is\n%s, want\n%s", len(notes), got, want)
		}
	}
	same(want[0])
	for i := range columns {
		if i%3 != 0 {
			columns[i].Unit = "currency of the series, for one quota"
		}
		if i%2 == 0 {
			columns[i].Comment = "Día de la cuota."
		}
	}
	same(want[1], tablefile.Note{Name: "batch", Text: "7"}, tablefile.Note{Name: "cuota.strategy", Text: `{"ñ": ""}`},
		tablefile.Note{})
}

// readByPyArrow prints what pyarrow finds in a Parquet file.
const readByPyArrow = `
import json, sys
import pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
texts = lambda metadata: {name.decode(): text.decode() for name, text in (metadata or {}).items()}
print(json.dumps({
    "columns": [[field.name, str(field.type), field.nullable, texts(field.metadata)] for field in table.schema],
    "notes": texts(table.schema.metadata),
    "rows": [list(row.values()) for row in table.to_pylist()],
}, default=str))
`

func TestPyArrowReadsTypesUnitsAndValuesOfParquet(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	python := clienttest.Python(t, "pyarrow")
	path := filepath.Join(t.TempDir(), "table.parquet")
	must(t, os.WriteFile(path, describedTable(t, tablefile.Parquet), 0o600))
	command := exec.CommandContext(t.Context(), python, "-c", readByPyArrow, path)
	command.Stderr = os.Stderr
	printed, err := command.Output()
	must(t, err)
	var got map[string]any
	must(t, json.Unmarshal(printed, &got))
	type texts = map[string]any
	want := map[string]any{
		"columns": []any{
			[]any{"day", "date32[day]", false, texts{"unit": "date", "comment": "Day of the quote."}},
			[]any{"quota", "double", false, texts{"unit": "currency of the series, for one quota"}},
			[]any{"rank", "int64", true, texts{"comment": "Place; null if there is none."}},
			[]any{"series_id", "uint32", false, texts{}},
			[]any{"fund", "string", false, texts{}},
			[]any{"alive", "bool", false, texts{}},
		},
		"notes": texts{"batch": "7"},
		"rows": []any{
			[]any{"2025-06-30", 1234567.25, -3.0, float64(math.MaxUint32), "ÁGUILA, \"A\"", true},
			[]any{"2025-06-30", 1e-7, nil, 0.0, "", false},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
