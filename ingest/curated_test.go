package ingest

import (
	"strings"
	"testing"
	"time"

	"cuota/model"
)

func TestBenchmarksAndTheirPricesAreRecognisedByTheirHeaders(t *testing.T) {
	benchmarks := events[model.Benchmark](t, model.Benchmarks, "b.csv", fixture(t, "benchmarks.csv"))
	if b := benchmarks[0]; b.Kind != model.KindBenchmark || b.FamilyRAR != "Accionario eeuu" || b.Symbol != "SPY" ||
		b.IndexName != "S&P 500" ||
		b.NativeCurrency != "USD" || b.AssetClass != "equity" || !b.Active {
		t.Errorf("reads %+v", b)
	}
	if b := benchmarks[2]; b.Active || b.FamilyRAR != "Deuda > 365 dias, otra" ||
		b.Key() != "Deuda > 365 dias, otra:LQD" {
		t.Errorf("reads %+v", b)
	}
	prices := events[model.BenchmarkPrice](t, model.Benchmarks, "p.csv", fixture(t, "benchmark_prices.csv"))
	if p := prices[1]; p.Kind != model.KindBenchmarkPrice || p.Symbol != "SPY" ||
		p.Date != model.NewDate(2026, 5, 28) || p.Close.String() != "588.380005" {
		t.Errorf("a price with a feed's noise reads %+v", p)
	}
	if reason := refusedFor(t, model.Benchmarks, "x.csv", "symbol,date,open\nSPY,2026-05-28,1\n"); !strings.Contains(
		reason, "column 3 of the header is \"open\", but dataset benchmarks has close there") {
		t.Errorf("another header is refused for %q", reason)
	}
}

func TestBenchmarkRowThatBreaks(t *testing.T) {
	eachBreaksOneRow(t, model.Benchmarks, "benchmarks.csv", []brokenRow{
		{"another currency", ",USD,equity", ",EUR,equity", "\"EUR\" is unknown"},
		{"another word for yes", ",equity,yes\nAccionario n", ",equity,true\nAccionario n", "\"true\" is unknown"},
		{"no family", "Accionario eeuu,", ",", "family_rar"},
		{"no index", ",S&P 500,", ",,", "index_name"},
		{"a symbol with a colon", ",SPY,", ",NYSE:SPY,", "is not a symbol"},
		{"a symbol with a space", ",SPY,", ",S Y,", "is not a symbol"},
	})
	eachBreaksOneRow(t, model.Benchmarks, "benchmark_prices.csv", []brokenRow{
		{"a price of zero", ",589.390015", ",0", "positive"},
		{"a negative price", ",589.390015", ",-1", "is negative"},
		{"a decimal comma", ",589.390015", ",\"589,39\"", "has a comma"},
		{"no price", ",589.390015", ",", "is blank"},
		{"a day to come", "SPY,2026-05-29", "SPY,2026-12-29", "lies in the future"},
	})
}

func TestArticle107AssessmentIsReadWhole(t *testing.T) {
	assessments := events[model.Article107](t, model.Article107s, "a.csv", fixture(t, "article107.csv"))
	a := assessments[0]
	if a.RUN != 8011 || a.Status != "declares_eligible" ||
		!a.AssessedAt.Equal(time.Date(2026, 5, 31, 18, 0, 0, 123456000, time.UTC)) ||
		!a.UpdatedAt.Equal(time.Date(2026, 6, 1, 13, 0, 0, 0, time.UTC)) || a.DocumentID != "RI-1234" ||
		a.DocumentSHA256 == "" ||
		a.Deposited != model.NewDate(2025, 11, 3) || a.ReviewStatus != "approved" ||
		a.ReviewNote != "Leída, sin reparos" || a.SHA256 == a.DocumentSHA256 {
		t.Errorf("reads %+v", a)
	}
	if c := a.Evidence; c == nil || c.Text != `Las cuotas se acogerán al "artículo 107" n° 3.1` || *c.Page != 12 ||
		*c.Offset != 3456 || c.Section != "3.1" ||
		c.SeriesException || c.RuleID != "affirms-107" || c.ParserVersion != "1.2.0" || c.ClassifierVersion != "0.4" {
		t.Errorf("the clause reads %+v", a.Evidence)
	}
	if c := assessments[1].Evidence; c == nil || c.Page != nil || c.Section != "" || !c.SeriesException {
		t.Errorf("a clause for some series reads %+v", c)
	}
	if a = assessments[2]; a.Status != "unknown" || a.Evidence != nil || !a.AssessedAt.IsZero() ||
		!a.Deposited.IsZero() || a.ReviewStatus != "" {
		t.Errorf("an unknown one reads %+v", a)
	}
}

func TestArticle107RowThatBreaks(t *testing.T) {
	eachBreaksOneRow(t, model.Article107s, "article107.csv", []brokenRow{
		{"another status", "declares_eligible", "eligible", "\"eligible\" is unknown"},
		{"a declaration without assessment", "2026-05-31T18:00:00.123456Z", "", "give the instant of the assessment"},
		{"a declaration without clause", "No se acoge,,,,yes,negates-107,1.2.0,0.4", ",,,,,,,",
			"give the evidence from the regulation"},
		{"a clause without text", "No se acoge,", ",", "text is"},
		{"a clause without rule", "negates-107", "", "rule_id"},
		{"a clause that does not tell of series", ",,,,yes,negates", ",,,,,negates", "series_exception"},
		{"an instant without zone", "2026-06-02T12:00:00Z", "2026-06-02T12:00:00", "not an instant"},
		{"an instant that is too fine", "18:00:00.123456Z", "18:00:00.1234567Z", "more than six decimals of a second"},
		{"an instant to come", "2026-05-31T18:00:00.123456Z", "2027-05-31T18:00:00Z", "lies in the future"},
		{"an address that is none", "https://example.org/ri/1234.pdf", "ftp://example.org", "http_url"},
		{"a hash that is none", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "0123", "sha256"},
		{"a review that is done and has no date", "approved,2026-06-02T12:00:00Z", "approved,",
			"the review is finished"},
		{"a review without status", "approved,2026", ",2026", "describe a review"},
		{"a wrong check digit", "10058-7", "10058-8", "wrong check digit"},
		{"a page that is no number", ",12,3456,", ",xii,3456,", "is not a count"},
	})
}

func TestEventsOfEachKindAreRead(t *testing.T) {
	factors := events[model.Factor](t, model.Events, "f.csv", fixture(t, "factors.csv"))
	if f := factors[1]; f.RUN != 9809 || f.Serie != "A" || f.Date != model.NewDate(2025, 6, 30) ||
		f.Distribution.String() != "1.012345678" ||
		f.Adjustment.String() != "1" || f.Quota.String() != "1001.5" || f.Currency != "PESOS" ||
		f.EvidenceURL != "https://example.org/f/20250630" ||
		len(f.EvidenceSHA256) != 64 || f.SHA256 == f.EvidenceSHA256 {
		t.Errorf("reads %+v", f)
	}
	if factors[1].Key() == factors[2].Key() {
		t.Error("two factors of one day have one key, so that nobody could see that there are two")
	}
	exchanges := events[model.Exchange](t, model.Events, "x.csv", fixture(t, "exchanges.csv"))
	if x := exchanges[1]; x.EventID != "fusion-2025-1" || x.EventRevision != 2 || x.OriginRUN != 9809 ||
		x.OriginSerie != "A" || x.DestinationRUN != 9810 ||
		x.DestinationSerie != "B" || x.Effective != model.NewDate(2025, 6, 30) ||
		x.Valuation != model.NewDate(2025, 6, 29) || x.Factor.String() != "0.998878" {
		t.Errorf("reads %+v", x)
	}
	if r := events[model.Rename](t, model.Events, "r.csv", fixture(t, "renames.csv"))[0]; r.RUN != 9809 ||
		r.PreviousSerie != "APV A" || r.CurrentSerie != "APV-A" ||
		r.FirstCurrent != model.NewDate(2025, 6, 30) {
		t.Errorf("reads %+v", r)
	}
	withdrawn := strings.Replace(fixture(t, "renames.csv"), "apv  a,APV-A", "apv  a,APV A", 1)
	if r := events[model.Rename](t, model.Events, "r.csv", withdrawn)[0]; r.PreviousSerie != r.CurrentSerie {
		t.Errorf("a rename taken back reads %+v", r)
	}
	if d := events[model.Discontinuity](t, model.Events, "d.csv",
		fixture(t, "discontinuities.csv"))[0]; d.Note != "Quota divided by 1,000" || d.Serie != "A" {
		t.Errorf("reads %+v", d)
	}
	ends := events[model.End](t, model.Events, "ends.csv", fixture(t, "ends.csv"))
	if e := ends[0]; e.RUN != 9809 || e.Serie != "B" || e.Ended != model.NewDate(2025, 7, 1) ||
		e.Note != "Closed by the manager" {
		t.Errorf("reads %+v", e)
	}
	if fund, market := ends[1], ends[2]; fund.RUN != 9810 || fund.Serie != "" || market.RUN != 0 || market.Serie != "" {
		t.Errorf("reads %+v and %+v", fund, market)
	}
	if r := events[model.RiskFree](t, model.Events, "rf.csv",
		fixture(t, "risk_free.csv"))[0]; r.Percent.String() != "5.25" || r.Name != "TPM" {
		t.Errorf("reads %+v", r)
	}
}

func TestEventRowThatBreaks(t *testing.T) {
	const hash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	eachBreaksOneRow(t, model.Events, "factors.csv", []brokenRow{
		{"another kind", "factor,9809-4,A,2025-06-29", "exchange,9809-4,A,2025-06-29", "\"exchange\" is unknown"},
		{"a factor of zero", ",1.012345678,", ",0,", "write 1 if nothing changed"},
		{"a factor left out", ",1.012345678,", ",,", "is blank"},
		{"a negative factor", ",1.012345678,", ",-1,", "is negative"},
		{"a factor too fine", ",1.012345678,", ",1.0123456789,", "more than 9 decimals"},
		{"a quota of zero", ",1000.1234,", ",0,", "positive"},
		{"a currency as in the cartola", ",1000.1234,PESOS", ",1000.1234,$$", "\"$$\" is unknown"},
		{"no evidence", ",https://example.org/f/20250629," + hash, ",,", "evidence_url"},
		{"a hash in capitals", hash, strings.ToUpper(hash), "evidence_sha256"},
	})
	eachBreaksOneRow(t, model.Events, "exchanges.csv", []brokenRow{
		{"into itself", ",9809,A,9810,B,", ",9809,A,9809,a,", "is the series itself"},
		{"a name with a colon", "fusion-2025-1,1,", "fusion:1,1,", "has a colon"},
		{"revision zero", "fusion-2025-1,1,", "fusion-2025-1,0,", "event_revision"},
		{"a day that does not exist", "2025-06-30,2025-06-29", "2025-06-31,2025-06-29", "not a calendar date"},
	})
	eachBreaksOneRow(t, model.Events, "renames.csv", []brokenRow{
		{"no day", ",2025-06-30,", ",,", "not a calendar date"},
		{"a day to come", "2025-06-30", "2027-06-30", "lies in the future"},
	})
	eachBreaksOneRow(t, model.Events, "discontinuities.csv",
		[]brokenRow{{"no entry", `"Quota divided by 1,000"`, "", "note"}})
	eachBreaksOneRow(t, model.Events, "ends.csv", []brokenRow{
		{"a series of every fund", "end,*,*,", "end,*,A,", "names a series of every fund"},
		{"no fund", "end,9810,*,", "end,,*,", "run"},
		{"no reason", "Absorbed", "", "note"},
		{"a day to come", "2025-07-02", "2027-07-02", "lies in the future"},
	})
	eachBreaksOneRow(t, model.Events, "risk_free.csv", []brokenRow{
		{"a word for the rate", ",5.25,", ",x,", "is not a number"},
		{"no name", ",5.25,TPM", ",5.25,", "name"},
	})
}

func TestEventsOfTwoKindsInOneFileAreNotMixed(t *testing.T) {
	h := newHarness(t)
	_, exchange, _ := strings.Cut(fixture(t, "exchanges.csv"), "\n")
	report := h.ingest(t, model.Events, fileOf(t, "e.csv", fixture(t, "risk_free.csv")+exchange))
	if report.Published != 2 || report.Rejected != 2 {
		t.Errorf("report %+v, want the rows of the other kind rejected", report)
	}
}

func TestVehicleNeedsItsEvidence(t *testing.T) {
	vehicles := events[model.Vehicle](t, model.Vehicles, "v.csv", fixture(t, "vehicles.csv"))
	if v := vehicles[0]; v.RUN != 10842 || !v.ETF || v.Note != "Listed as an ETF" ||
		v.EvidenceURL != "https://example.org/v/1" {
		t.Errorf("reads %+v", v)
	}
	if vehicles[1].ETF {
		t.Errorf("reads %+v", vehicles[1])
	}
	eachBreaksOneRow(t, model.Vehicles, "vehicles.csv", []brokenRow{
		{"no address", "https://example.org/v/1", "", "evidence_url"},
		{"neither yes nor no", ",yes,", ",,", "is unknown"},
	})
}
