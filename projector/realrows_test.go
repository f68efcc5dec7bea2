package projector_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cuota/internal/testkit/demotest"
	"cuota/model"
)

// realRows is the folder of rows of whole-market files. Its README says what they are.
const realRows = "../testdata/real/cartola/"

// The rows are split here and compared as text with what ClickHouse stores, so that no parser of ours is between them.
func TestEveryRealRowOfTheCartolaBecomesAFactAsItIsWritten(t *testing.T) {
	t.Parallel()
	m := demotest.New(t)
	want := map[string]bool{}
	files, err := filepath.Glob(realRows + "*.txt")
	if err != nil || len(files) != 4 {
		t.Fatalf("%v: %v", files, err)
	}
	for n, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		report := m.Ingest(t, model.Cartola, file, published.Add(time.Duration(n)*time.Hour))
		if report.Refused || report.Rejected != 0 || len(report.Unknown) != 0 {
			t.Errorf("%s: %d rows rejected, the first %+v", file, report.Rejected, report.FirstRejects)
		}
		for line := range strings.Lines(strings.SplitN(string(content), "\n", 2)[1]) {
			fields := strings.Split(strings.TrimSuffix(line, "\n"), ";")
			fields[1] = strings.Join(strings.Fields(fields[1]), " ")
			for i, field := range fields {
				if strings.HasPrefix(field, ".") {
					fields[i] = "0" + field
				}
			}
			want[strings.Join(fields, ";")] = true
		}
	}
	batch := m.Build(t)
	const facts = `
		SELECT DISTINCT arrayStringConcat([toString(manager_rut), manager, toString(run), formatDateTime(date, '%Y%m%d'), toString(total_assets),
			moneda, participes_inst, toString(invested_in_funds), serie, toString(units_contributed), toString(units_redeemed),
			toString(units_outstanding), toString(quota), toString(equity), toString(shareholders), toString(institutional), fondo_pen,
			toString(fixed_fee), toString(variable_fee), toString(affected_expenses), toString(unaffected_expenses),
			toString(subscription_fee), toString(redemption_fee), ifNull(toString(adjustment_factor), ''),
			ifNull(toString(distribution_factor), '')], ';') AS stated
		FROM fact_quota ORDER BY stated`
	rows := slices.Sorted(func(yield func(string) bool) {
		for row := range want {
			if !yield(row) {
				return
			}
		}
	})
	if diff := cmp.Diff(rows, column(t, m, facts)); diff != "" {
		t.Errorf("facts (-files +stored):\n%s", diff)
	}
	// People read the amount in the fund's currency: 10151 is in dollars, 8011 states 1 on all its rows.
	got := column(t, m, fmt.Sprintf(`
		SELECT toString((date, currency, invested_in_funds)) FROM current_series_day
		INNER JOIN (SELECT run, serie, series_id FROM batch_series_name(batch = %d)) AS names USING (series_id)
		WHERE (run, date) IN [(10151, '2025-12-01'), (8011, '2025-12-05')] GROUP BY ALL ORDER BY ALL`, batch))
	if diff := cmp.Diff([]string{"('2025-12-01','DOLAR',3542164.3411)", "('2025-12-05','PESOS',1)"}, got); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
}
