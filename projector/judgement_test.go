package projector_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"

	"cuota/internal/testkit/demotest"
	"cuota/model"
)

func TestJudgementsOfFilesAreStoredAndTheNewestCounts(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	file := strings.Repeat("a", 64)
	judged := func(state model.FileState, at int64, findings ...model.Finding) {
		t.Helper()
		text, err := json.Marshal(model.Control{Judgement: &model.Judgement{
			SHA256: file, Dataset: model.Cartola, File: "f.txt", Revision: 1_700_000_000_000, State: state, Judged: at,
			Findings: findings,
		}})
		if err != nil {
			t.Fatal(err)
		}
		m.Send(t, model.ControlTopic, kafka.Message{Value: text})
		m.Settle(t)
	}
	reject, err := json.Marshal(model.Reject{
		Source: model.Source{SHA256: file, Line: 1, Revision: 1_700_000_000_000}, Dataset: model.Cartola, File: "f.txt",
		Reason: "quarantined",
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Send(t, model.Cartola.RejectTopic(), kafka.Message{Value: reject})
	rounded := model.Finding{Kind: model.FindingFewerDecimals, Column: "VALOR_CUOTA", Before: "4", Now: "2", Line: 2,
		AtStake: true}
	judged(model.FileQuarantined, 1_700_000_000_001, rounded,
		model.Finding{Kind: model.FindingEndsEarly, Before: "2025-08-31", Now: "2025-08-24"})
	if n := count(t, m, "SELECT count() FROM file_finding WHERE state = 'quarantined' AND sha256 = $1", file); n != 2 {
		t.Errorf("%d findings of a file in quarantine, want 2", n)
	}
	if n := count(t, m, "SELECT count() FROM file_finding WHERE kind = 'fewer_decimals' AND column = 'VALOR_CUOTA' "+
		"AND before = '4' AND now = '2' AND line = 2 AND at_stake"); n != 1 {
		t.Error("the finding is not as it was sent")
	}
	if n := count(t, m, "SELECT count() FROM rejection WHERE open"); n != 1 {
		t.Errorf("%d open rejected rows while the file is in quarantine", n)
	}
	judged(model.FileDeclined, 1_700_000_000_002, rounded)
	judged(model.FileQuarantined, 1_700_000_000_001, rounded) // delivered again
	if n := count(t, m, "SELECT count() FROM file_finding WHERE state = 'declined'"); n != 1 {
		t.Errorf("%d findings of a file that a person refused, want 1", n)
	}
	if n := count(t, m, "SELECT count() FROM file_finding"); n != 1 {
		t.Errorf("%d findings, want those of the newest judgement alone", n)
	}
	if n := count(t, m, "SELECT count() FROM rejection WHERE open"); n != 0 {
		t.Errorf("%d open rejected rows after a person refused the file", n)
	}
	if n := count(t, m, "SELECT count() FROM manifest"); n != 0 {
		t.Error("a file in quarantine has a manifest")
	}
}

func TestTheNextDataIsDueAfterThePeriodNotCovered(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	for _, c := range []struct{ period, days, last, due string }{
		{"day", "4", "2025-08-24", "2025-08-29"},
		{"day", "0", "2025-12-31", "2026-01-01"},
		{"month", "40", "2025-08-31", "2025-11-09"},
		{"month", "0", "2025-08-30", "2025-08-31"}, // the month is not covered yet
		{"quarter", "15", "2025-07-21", "2025-10-15"},
		{"quarter", "0", "2025-09-30", "2025-12-31"},
	} {
		if n := count(t, m, "SELECT count() FROM system.one WHERE cuota_due_on($1, toUInt32($2), toDate($3)) = "+
			"toDate($4)", c.period, c.days, c.last, c.due); n != 1 {
			t.Errorf("%s+%s after %s is not due on %s", c.period, c.days, c.last, c.due)
		}
	}
	for _, statement := range []string{
		"INSERT INTO freshness_objective VALUES ('uf', 'day', 9, 1), ('uf', 'day', 2, 2), ('register', 'month', 10, " +
			"1), ('events', 'none', 0, 1), ('cartola', 'day', 4, 1)",
		`INSERT INTO complete_file (dataset, sha256, revision, file, first_date, last_date) VALUES
			('uf', 'a', 1000, 'uf.csv', '2025-08-01', '2025-08-20'), ('uf', 'b', 1000, 'uf.csv', '2025-07-01', '2025-07-20'),
			('register', 'c', '2025-07-22 02:00:00', 'r.txt', NULL, NULL), ('events', 'd', 1000, 'e.csv', '2025-01-01', '2025-01-01')`,
	} {
		if err := m.Conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"dataset = 'uf' AND due_on = '2025-08-23'",
		"dataset = 'register' AND due_on = '2025-08-10' AND covered_to = '2025-07-21'",
		"dataset = 'events' AND due_on IS NULL"} {
		if n := count(t, m, "SELECT count() FROM dataset_due WHERE "+want); n != 1 {
			t.Errorf("not true: %s", want)
		}
	}
	if n := count(t, m, "SELECT count() FROM dataset_due"); n != 3 {
		t.Errorf("%d datasets are due, want those with files", n)
	}
}
