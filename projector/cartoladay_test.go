package projector_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"
)

// cartolaDay is a row of a generated cartola. Fields that are not set have defaults: quota
// 10, pesos, the only manager, no factor, and 0 for the rest.
type cartolaDay struct {
	manager        int
	run            int
	serie          string
	day            time.Time
	moneda         string
	quota, equity  float64
	units, cost    float64
	contributed    float64
	adjust, payout string
}

func (d cartolaDay) String() string {
	if d.moneda == "" {
		d.moneda = "$$"
	}
	if d.quota == 0 {
		d.quota = 10
	}
	manager := "77057272;SOYFOCUS ADMINISTRADORA GENERAL DE FONDOS S.A."
	if d.manager != 0 {
		manager = fmt.Sprintf("%d;ADMINISTRADORA %[1]d S.A.", d.manager)
	}
	quota, equity := strconv.FormatFloat(d.quota, 'f', -1, 64), strconv.FormatFloat(d.equity, 'f', -1, 64)
	return fmt.Sprintf("%s;%d;%s;100000;%s;N;0;%s;%v;0;%v;%v;%s;5;0;N;%v;0;0;0;0;0;%s;%s",
		manager, d.run, d.day.Format("20060102"), d.moneda, d.serie, d.contributed, d.units, quota, equity, d.cost,
		d.adjust, d.payout)
}

// cartolaOf writes a cartola file with these rows.
func cartolaOf(t *testing.T, rows []cartolaDay) string {
	t.Helper()
	header, _ := cartolaLines(t, history2024, "9809", "20241231")
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = row.String()
	}
	return writeCartola(t, header, lines...)
}

func date(t *testing.T, day string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, day)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// monthEnds lists the month ends from the first to the last, both included.
func monthEnds(first, last time.Time) (ends []time.Time) {
	for end := first; !end.After(last); end = end.AddDate(0, 0, 1).AddDate(0, 1, -1) {
		ends = append(ends, end)
	}
	return ends
}
