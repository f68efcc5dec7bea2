package parse

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"

	"cuota/model"
)

// notReported, in the form that Folded returns, stands in the equity column of a series that
// did not report. The columns after it are then blank.
const notReported = "sin informacion"

// The sheet's day stands above the header or at the end of the file's name.
var (
	sheetPeriod = regexp.MustCompile(`Periodo:\s*(\d{2}/\d{2}/\d{4})`)
	sheetName   = regexp.MustCompile(`_(\d{8})\.csv$`)
)

// aafmFormat reads the daily sheet of the managers' association, saved as CSV. The rows
// have no date of their own: all are about the sheet's day.
func aafmFormat(file string) *format {
	var day model.Date
	var dayErr error
	if match := sheetName.FindStringSubmatch(file); match != nil {
		day, dayErr = model.ParseCompactDate(match[1])
	}
	return &format{
		columns: []string{
			"administradora", "run", "codigo_bloomberg", "fondo", "serie", "patrimonio_neto_clp", "cuotas_circulacion",
			"cuotas_aportadas", "cuotas_rescatadas", "valor_cuota", "participes", "categoria_aafm", "serie_apv",
			"moneda",
		},
		key:       []int{1, 4},
		separator: ',',
		ahead:     oneDayAhead,
		preamble: func(fields []string) {
			if match := sheetPeriod.FindStringSubmatch(strings.Join(fields, " ")); match != nil {
				day, dayErr = model.ParseSlashDate(match[1])
			}
		},
		ready: func(model.Date) error {
			if day.IsZero() || dayErr != nil {
				return &Refusal{Reason: "the file does not state its day: keep the row `Periodo: DD/MM/YYYY` above " +
					"the header, or rename the file so that its name ends in _YYYYMMDD.csv, and ingest it again"}
			}
			return nil
		},
		parse: func(r *row) (model.Event, model.Date) {
			if err := r.inRange(day); err != nil && r.err == nil {
				r.err = fmt.Errorf("read the day of the sheet: %w", err)
			}
			amount := func(column int) decimal.NullDecimal { return r.maybe(column, aafmShape) }
			quota := func(column int) decimal.NullDecimal { return r.maybe(column, aafmQuotaShape) }
			var equity decimal.NullDecimal
			if Folded(r.fields[5]) != notReported {
				equity = optional(r, 5, amount)
			}
			sheet := &model.AAFMDaily{
				Source:           r.source,
				Manager:          r.text(0, 200),
				RUN:              r.run(1),
				Bloomberg:        r.text(2, 40),
				Fund:             r.text(3, 300),
				Serie:            r.serie(4),
				Date:             day,
				EquityCLP:        equity,
				UnitsOutstanding: optional(r, 6, amount),
				UnitsContributed: optional(r, 7, amount),
				UnitsRedeemed:    optional(r, 8, amount),
				Quota:            optional(r, 9, quota),
				Shareholders:     optional(r, 10, r.maybePeople),
				Category:         r.text(11, 200),
				APV:              r.word(12, "Si", "No"),
				Currency:         r.word(13, "PESOS", "DOLAR", ""),
			}
			return sheet, day
		},
	}
}

// maybeCount reads a count that may be blank.
func (r *row) maybeCount(column int) *uint32 {
	if r.fields[column] == "" {
		return nil
	}
	return new(r.count(column))
}
