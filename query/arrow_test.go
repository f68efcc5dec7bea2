package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"cuota/internal/testkit/clienttest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
)

// readByPyArrow prints the rows of streams of Arrow, those of each in a line.
const readByPyArrow = `
import json, sys
import pyarrow.ipc
for path in sys.argv[1:]:
    table = pyarrow.ipc.open_stream(path).read_all()
    print(json.dumps(table.to_pylist(), default=lambda value: value.isoformat()))
`

func TestTheRowsOfArrowAreThoseOfNDJSON(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	r := newRig(t, demotest.Published(t), unlimited)
	command := []string{"-c", readByPyArrow}
	var wanted []tableRows
	for i, c := range tables {
		separator := "?"
		if strings.Contains(c.target, "?") {
			separator = "&"
		}
		wanted = append(wanted, readTable(t, "ndjson", r.get(t, c.target+separator+"format=ndjson").body, nil))
		got := r.get(t, c.target+separator+"format=arrow")
		wantStatus(t, got, http.StatusOK)
		if got.header.Get("Content-Type") != mediaOf["arrow"] || !strings.HasPrefix(got.header.Get("ETag"), `W/"`) {
			t.Errorf("%s: %v", c.name, got.header)
		}
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		must(t, os.WriteFile(path, got.body, 0o600))
		command = append(command, path)
	}
	read := exec.CommandContext(t.Context(), clienttest.Python(t, "pyarrow"), command...)
	read.Stderr = os.Stderr
	printed, err := read.Output()
	must(t, err)
	lines := bytes.Split(bytes.TrimSpace(printed), []byte("\n"))
	if len(lines) != len(tables) {
		t.Fatalf("pyarrow reads %d streams of %d", len(lines), len(tables))
	}
	for i, line := range lines {
		var rows tableRows
		must(t, json.Unmarshal(line, &rows))
		if len(rows) == 0 || len(rows) != len(wanted[i]) {
			t.Errorf("%s: Arrow has %d rows, NDJSON %d", tables[i].name, len(rows), len(wanted[i]))
			continue
		}
		for at, want := range wanted[i] {
			if len(rows[at]) != len(want) {
				t.Fatalf("%s: row %d is %v, in NDJSON %v", tables[i].name, at, rows[at], want)
			}
			for name, value := range want {
				if have, there := rows[at][name]; !there || !same(have, value) {
					t.Fatalf("%s: row %d: %s is %v (there: %t), in NDJSON %v", tables[i].name, at, name, have, there, value)
				}
			}
		}
	}
}
