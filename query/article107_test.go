package query_test

import (
	"net/http"
	"strings"
	"testing"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/query"

	"github.com/google/go-cmp/cmp"
)

func TestArticle107(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	m := newFileMarket(t)
	m.ingest(t, model.Register, "register.txt",
		fixture(t, "register.txt", ";8298;", ";8011;", ";8001;", ";9809;", ";9049;", ";10058;"), 0)
	m.ingest(t, model.Article107s, "article107.csv", fixture(t, "article107.csv"), 0)
	// The fund was assessed 35 days before the day of the batch. In Santiago it was one
	// second before that day began; in UTC that day had begun.
	oneFund := func(run, updated string) string {
		header, rows, _ := strings.Cut(fixture(t, "article107.csv", "8011-K", run, "2026-06-01T09:00:00-04:00",
			updated), "\n")
		row, _, _ := strings.Cut(rows, "\n")
		return header + "\n" + row + "\n"
	}
	m.ingest(t, model.Article107s, "fresh.csv", oneFund("9712", "2026-07-16T00:00:00-04:00"), 16)
	m.ingest(t, model.Article107s, "old.csv", oneFund("9610", "2026-07-15T23:59:59-04:00"), 16)
	m.build(t)
	disclaimer := "States what the text of the fund's regulation declares about article 107 of the income tax law; " +
		"it is neither tax nor investment advice."

	t.Run("all that an assessment states", func(t *testing.T) {
		want := map[string]any{
			"run": "8011-K", "article107RegulationStatus": "declares_eligible", "sourceFreshness": "stale",
			"statusReason":               "one affirming clause",
			"lastSuccessfulAssessmentAt": "2026-05-31T18:00:00.123456Z", "updatedAt": "2026-06-01T13:00:00Z",
			"source": map[string]any{"cmfDocumentId": "RI-1234", "observedCmfDocumentId": "RI-1234",
				"url":    "https://example.org/ri/1234.pdf",
				"sha256": strings.Repeat("0123456789abcdef", 4), "cmfDepositDate": "2025-11-03",
				"cmfLastModifiedDate": "2026-01-15", "fetchedAt": "2026-05-31T17:59:00Z"},
			"review": map[string]any{"status": "approved", "reviewedAt": "2026-06-02T12:00:00Z",
				"reviewedBy": "Revisora", "note": "Leída, sin reparos"},
			"evidence": map[string]any{"text": `Las cuotas se acogerán al "artículo 107" n° 3.1`, "page": 12.0,
				"offset": 3456.0, "section": "3.1",
				"seriesException": false, "ruleId": "affirms-107", "parserVersion": "1.2.0",
				"classifierVersion": "0.4"},
			"disclaimer": disclaimer,
		}
		for _, run := range []string{"8011-K", "8011", "8.011-k"} {
			if diff := cmp.Diff(want, decode[map[string]any](t,
				m.get(t, "/api/funds/"+run+"/article107"))); diff != "" {
				t.Errorf("%s: %s", run, diff)
			}
		}
	})

	t.Run("a fund that nobody assessed is unknown, with nulls", func(t *testing.T) {
		want := map[string]any{
			"run": "9068-7", "article107RegulationStatus": "unknown", "sourceFreshness": "unknown", "statusReason": nil,
			"lastSuccessfulAssessmentAt": nil, "updatedAt": nil,
			"source": map[string]any{"cmfDocumentId": nil, "observedCmfDocumentId": nil, "url": nil,
				"sha256": nil, "cmfDepositDate": nil, "cmfLastModifiedDate": nil, "fetchedAt": nil},
			"review":   map[string]any{"status": nil, "reviewedAt": nil, "reviewedBy": nil, "note": nil},
			"evidence": nil, "disclaimer": disclaimer,
		}
		want["run"] = model.RUN(9068).String()
		if diff := cmp.Diff(want, decode[map[string]any](t, m.get(t, "/api/funds/9068/article107"))); diff != "" {
			t.Error(diff)
		}
	})

	freshness := func(t *testing.T, run string) string {
		t.Helper()
		body := decode[map[string]any](t, m.get(t, "/api/funds/"+run+"/article107"))
		return body["article107RegulationStatus"].(string) + " " + body["sourceFreshness"].(string)
	}
	t.Run("freshness counts Santiago days without a look to the day of the request", func(t *testing.T) {
		for run, want := range map[string]string{
			"9712":  "declares_eligible fresh",
			"9610":  "declares_eligible stale",
			"10058": "unknown unknown", // a source saw it, and nobody assessed it
		} {
			if got := freshness(t, run); got != want {
				t.Errorf("%s: %s, want %s", run, got, want)
			}
		}
		asked := *m.clock.Load()
		m.setClock(asked.AddDate(0, 0, 1))
		if got := freshness(t, "9712"); got != "declares_eligible stale" {
			t.Errorf("a day later, of the same batch: %s", got)
		}
		m.setClock(asked)
	})

	t.Run("another document at the regulator makes an assessment stale, however young; a newer file replaces it",
		func(t *testing.T) {
			young := []string{"2026-05-31T18:00:00Z", "2026-08-19T18:00:00Z"}
			m.ingest(t, model.Article107s, "changed.csv", fixture(t, "article107.csv", young...), 49)
			m.build(t)
			if got := freshness(t, "9809"); got != "declares_not_eligible stale" {
				t.Error(got)
			}
			m.ingest(t, model.Article107s, "read.csv",
				fixture(t, "article107.csv", append(young, "RI-1,RI-2", "RI-2,RI-2")...), 50)
			m.build(t)
			if got := freshness(t, "9809-4"); got != "declares_not_eligible fresh" {
				t.Error(got)
			}
		})

	t.Run("an unknown fund is not found", func(t *testing.T) {
		wantCode(t, m.get(t, "/api/funds/8012/article107"), http.StatusNotFound, "not_found")
		wantCode(t, m.get(t, "/api/funds/99999999/article107"), http.StatusNotFound, "not_found")
	})

	t.Run("a RUN is checked", func(t *testing.T) {
		wantViolations(t, m.rig, []violationCase{
			{"/api/funds/%209.809-4/article107", nil},
			{"/api/funds/9809-5/article107", []string{"path.run:run_check_digit"}},
			{"/api/funds/-4/article107", []string{"path.run:run_parsing"}},
			{"/api/funds/+9809/article107", []string{"path.run:run_parsing"}},
			{"/api/funds/%EF%BC%99809/article107", []string{"path.run:run_parsing"}},
			{"/api/funds//article107", []string{"path.run:run_parsing"}},
		})
	})
}

func TestAnAssessmentFromMemoryIsThatOfSQL(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := demotest.Schema(t)
	market := newRig(t, options, query.Config{HTTP: unlimited.HTTP, SnapshotBytes: 1})
	market.facts(t)
	market.publish(t, 1)
	insert(t, market.conn, "fact_article107",
		row{"run": 8011, "status": "declares_eligible", "assessed_at": "2026-07-31 18:00:00.123456",
			"has_evidence":  true,
			"evidence_text": "Se acogerán", "evidence_page": 12, "revision": "2026-08-01 10:00:00.000",
			"source_sha256": sha('a'), "source_line": 2})
	memory, plain, _ := fromMemoryAndSQL(t, options)
	var runs []string
	must(t, plain.conn.QueryRow(t.Context(),
		"SELECT arraySort(groupUniqArray(splitByChar('-', run)[1])) FROM fund WHERE batch = 1 AND run = "+
			"cuota_rol(toUInt32(splitByChar('-', run)[1]))").Scan(&runs))
	if len(runs) < 2 {
		t.Fatalf("funds %v", runs)
	}
	for _, run := range runs {
		sameReply(t, memory, plain, "/api/funds/"+run+"/article107")
	}
	if got := decode[map[string]any](t,
		memory.get(t, "/api/funds/8011/article107")); got["article107RegulationStatus"] != "declares_eligible" {
		t.Errorf("%v", got)
	}

	fresh := decode[map[string]any](t, memory.get(t, "/api/funds/8011/article107"))
	memory.setClock(memory.clock.Load().AddDate(0, 0, 60))
	plain.setClock(*memory.clock.Load())
	stale := decode[map[string]any](t, memory.get(t, "/api/funds/8011/article107"))
	if diff := cmp.Diff(decode[map[string]any](t, plain.get(t, "/api/funds/8011/article107")), stale); diff != "" {
		t.Error(diff)
	}
	if fresh["sourceFreshness"] != "fresh" || stale["sourceFreshness"] != "stale" {
		t.Errorf("%v on the day of the batch, %v 60 days later", fresh["sourceFreshness"], stale["sourceFreshness"])
	}
}
