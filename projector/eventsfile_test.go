package projector_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/oracle"
	"cuota/model"
)

// evidence is the hash of a document that proves an event. number tells documents apart.
func evidence(number int) string { return fmt.Sprintf("%064x", number) }

const factorHeader = "kind,run,serie,date,distribution_factor,adjustment_factor,quota,currency,source_url,source_sha256"

func factorRow(f oracle.Factor) string {
	return fmt.Sprintf("factor,%d,%s,%s,%s,%s,%s,%s,https://example.org/factor,%s", f.Run, f.Serie,
		f.Day.Format(time.DateOnly),
		f.Distribution, f.Adjustment, f.Quota, f.Currency, f.Document)
}

const exchangeHeader = "kind,event_id,revision,origin_run,origin_serie,destination_run,destination_serie,effective_date,valuation_date,factor,source_url,source_sha256"

func exchangeRow(x oracle.Exchange) string {
	return fmt.Sprintf("exchange,%s,%d,%d,%s,%d,%s,%s,%s,%s,https://example.org/exchange,%s", x.Event, x.Revision,
		x.Origin.Run, x.Origin.Name,
		x.Destination.Run, x.Destination.Name, x.Effective.Format(time.DateOnly), x.Valuation.Format(time.DateOnly),
		x.Factor, evidence(x.Revision))
}

// eventsOf writes a file of the dataset events.
func eventsOf(t *testing.T, header string, rows []string) string {
	t.Helper()
	return fileOf(t, "events.csv", append([]string{header}, rows...)...)
}

// ingestWhole publishes a file, and fails if any row is rejected.
func ingestWhole(t *testing.T, m *demotest.Market, dataset model.Dataset, path string, published time.Time) {
	t.Helper()
	if report := m.Ingest(t, dataset, path, published); report.Rejected > 0 || report.Published == 0 {
		t.Fatalf("ingest %s: %+v", path, report)
	}
}

// realFactors generates factors for every day of the real series since 2024: a distribution
// of half a percent on the 15th of each month, and none on other days.
func realFactors(t *testing.T) (factors []oracle.Factor) {
	t.Helper()
	for _, path := range append(historyOf(t)[5:], later) {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		reader := csv.NewReader(bytes.NewReader(content))
		reader.Comma = ';'
		lines, err := reader.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines[1:] {
			run, err := strconv.Atoi(line[2])
			if err != nil {
				t.Fatal(err)
			}
			day, err := time.Parse("20060102", line[3])
			if err != nil {
				t.Fatal(err)
			}
			quota := line[12]
			if strings.HasPrefix(quota, ".") {
				quota = "0" + quota
			}
			f := oracle.Factor{
				Run: run, Serie: oracle.SerieName(line[8]), Day: day, Distribution: "1", Adjustment: "1", Quota: quota,
				Currency: "PESOS",
				Document: evidence(day.Year()*12 + int(day.Month())),
			}
			if day.Day() == 15 {
				f.Distribution = "1.005000001"
			}
			factors = append(factors, f)
		}
	}
	return factors
}
