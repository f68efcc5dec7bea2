package alert_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

type row map[string]any

func (r *rig) insert(t testing.TB, table string, rows ...row) {
	t.Helper()
	var text bytes.Buffer
	text.WriteString("INSERT INTO " + table + " FORMAT JSONEachRow\n")
	for _, one := range rows {
		must(t, json.NewEncoder(&text).Encode(one))
	}
	must(t, r.conn.Exec(t.Context(), text.String()))
}

// made describes a series of an invented batch.
type made struct {
	id       int
	category any    // nil means unclassified
	move     any    // change on the cutoff's day in percent points; nil if there is none
	outlier  string // reason why the move is an outlier; "" if it is not
	tac      []any  // stated rates of the months up to that of the cutoff, newest last
	kind     string // kind of the rates; the default is real
	computed []any  // rates computed from the daily costs of the same months
	last     string // day of the last quote; the default is the cutoff
	closed   bool
	name     string
	aliases  []int // ids of its names, newest first
}

// instrument is a series of an investment fund in an invented batch.
type instrument struct {
	number int
	id     string
	status string
	last   string
}

// instruments writes the investment funds of a batch. It must be called before the batch is
// published.
func (r *rig) instruments(t testing.TB, batch int, list ...instrument) {
	t.Helper()
	r.insert(t, "fund", row{"batch": batch, "fund_id": 200, "run": "9278-9", "name": "FONDO DE INVERSIÓN ÑIRE",
		"vehicle": "investment_fund", "current": true})
	for _, one := range list {
		r.insert(t, "fi_instrument", row{"batch": batch, "instrument_id": one.id, "series_id": one.number,
			"listed": true, "fund_id": 200,
			"run": "9278-9", "serie": "I", "fund": "FONDO DE INVERSIÓN ÑIRE", "vehicle": "investment_fund",
			"regulatory_type": "RES",
			"status":          one.status, "current": one.status == "active", "first_date": "2025-01-01",
			"last_date": one.last})
	}
}

// bookValues writes values of a series of an investment fund.
func (r *rig) bookValues(t testing.TB, number int, byDate map[string]string) {
	t.Helper()
	for date, value := range byDate {
		r.insert(t, "fi_day", row{"series_id": number, "date": date, "build": 1, "book_value": value,
			"currency": "PESOS"})
		r.insert(t, "fi_day_version", row{"date": date, "build": 1})
	}
}

// publish writes all rows of a batch, and at last the row that publishes it. It sets the clock
// to the day after the cutoff, unless the clock is later already.
func (r *rig) publish(t testing.TB, number int, asOf string, list ...made) {
	t.Helper()
	cutoff, err := time.Parse(time.DateOnly, asOf)
	must(t, err)
	if next := cutoff.AddDate(0, 0, 1).Add(16 * time.Hour); next.After(r.now()) {
		r.setClock(next)
	}
	monthEnd := func(ago int) string { // the month end that is this many months before that of the day after the cutoff
		next := cutoff.AddDate(0, 0, 1)
		return time.Date(next.Year(), next.Month()-time.Month(ago), 0, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	tables := map[string][]row{"fund": {{"batch": number, "fund_id": 100, "run": "8011-K", "name": "FONDO MUTUO AÑIL",
		"current": true}}}
	add := func(table string, rows ...row) { tables[table] = append(tables[table], rows...) }
	for _, one := range list {
		if one.last == "" {
			one.last = asOf
		}
		if one.kind == "" {
			one.kind = "real"
		}
		fund := 100
		if one.name != "" {
			fund = 1000 + one.id
			add("fund", row{"batch": number, "fund_id": fund, "run": "8011-K", "name": one.name, "current": true})
		}
		add("series", row{"batch": number, "series_id": one.id, "fund_id": fund, "run": "8011-K",
			"serie":    fmt.Sprint("S", one.id),
			"category": one.category, "first_date": "2020-01-01", "last_date": one.last, "current": !one.closed,
			"alias_ids": append([]int{}, one.aliases...)})
		if one.last == asOf {
			add("market_day", row{"date": asOf, "series_id": one.id, "build": number, "currency": "PESOS",
				"previous_date": cutoff.AddDate(0, 0, -1).Format(time.DateOnly), "daily_change": one.move,
				"category": one.category, "daily_outlier": one.outlier})
		}
		for i, rate := range one.tac {
			add("tac_month", row{"batch": number, "series_id": one.id, "month": monthEnd(len(one.tac) - 1 - i),
				"kind": one.kind, "source": "stated", "tac": rate})
		}
		for i, rate := range one.computed {
			add("tac_month", row{"batch": number, "series_id": one.id, "month": monthEnd(len(one.computed) - 1 - i),
				"kind": one.kind, "source": "computed", "tac": rate})
		}
	}
	for table, rows := range tables {
		r.insert(t, table, rows...)
	}
	r.insert(t, "market_day_version", row{"date": asOf, "build": number})
	r.insert(t, "window_target", row{"batch": number, "window": "last_closed_month", "target_start": monthEnd(1),
		"target_end": monthEnd(0)})
	r.insert(t, "batch", row{"batch": number,
		"batch_id": fmt.Sprintf("%s-%d-abc", strings.ReplaceAll(asOf, "-", ""), number), "as_of_date": asOf,
		"calculation_date": asOf, "calculated_at": asOf + " 12:00:00.000",
		"input_fingerprint": strings.Repeat("f", 64)})
}

// quotes writes quotas of a series.
func (r *rig) quotes(t testing.TB, series int, byDate map[string]string) {
	t.Helper()
	for date, quota := range byDate {
		r.insert(t, "series_day", row{"series_id": series, "date": date, "build": 1, "quota": quota,
			"currency": "PESOS"})
		r.insert(t, "series_day_version", row{"date": date, "build": 1})
	}
}

// retire drops the rows of a batch, as the projector does once twenty newer batches are kept.
func (r *rig) retire(t testing.TB, batch int) {
	t.Helper()
	must(t, r.conn.Exec(t.Context(), fmt.Sprintf("DELETE FROM batch WHERE batch = %d", batch)))
}
