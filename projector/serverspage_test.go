package projector_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"cuota/internal/embedded/clickhouse/clickhousetest"
)

func TestTheEngineParsesWhatTheDocumentTellsAnOperatorToRun(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/servers.md")
	if err != nil {
		t.Fatal(err)
	}
	conn := openConn(t, clickhousetest.Database(t))
	found := 0
	for _, block := range regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for _, statement := range strings.Split(strings.TrimSpace(block[1]), ";") {
			if statement = strings.TrimSpace(statement); statement == "" {
				continue
			}
			found++
			if err := conn.Exec(t.Context(), "EXPLAIN AST "+statement); err != nil {
				t.Errorf("the engine does not parse\n%s\n%v", statement, err)
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d statements were found", found)
	}
}
