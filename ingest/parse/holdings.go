package parse

import (
	"errors"
	"regexp"
	"strings"

	"cuota/model"
)

// holdingsMonth matches the month at the end of a portfolio file's name. The files do
// not state their month inside.
var holdingsMonth = regexp.MustCompile(`(?i)_(\d{6})\.(?:txt|csv)$`)

// noIssuer is the RUT that files of mutual funds state for an issuer without one.
const noIssuer = "99999999"

// holdingsFormats reads portfolios: those of mutual funds, national and foreign, as the
// regulator publishes them, and those of investment funds.
func holdingsFormats(file string) []*format {
	naci := []string{
		"Run Fondo", "Nombre Fondo", "FFM_6010100", "FFM_6010211", "FFM_6010212", "FFM_6010300", "FFM_6010400",
		"FFM_6010500", "FFM_6010600", "FFM_6010700", "FFM_6010800", "FFM_6010900", "FFM_6011000", "FFM_TIR_6011111",
		"FFM_PAR_6011111", "FFM_REL_6011111", "FFM_6011112", "FFM_6011113", "FFM_6011114", "FFM_6011200", "FFM_6011300",
		"FFM_6011400", "FFM_6011511", "FFM_6011512", "FFM_6011513",
	}
	extr := []string{
		"Run Fondo", "Nombre Fondo", "FFM_6020100", "FFM_6020200", "FFM_6020300", "FFM_6020400", "FFM_6020500",
		"FFM_6020600", "FFM_6020700", "FFM_6020800", "FFM_6020900", "FFM_6021000", "FFM_TIR_6021111", "FFM_PAR_6021111",
		"FFM_REL_6021111", "FFM_6021112", "FFM_6021113", "FFM_6021114", "FFM_6021200", "FFM_6021300", "FFM_6021400",
		"FFM_6021511", "FFM_6021512", "FFM_6021513",
	}
	investment := []string{
		"run", "market", "nemotecnico", "rut_emisor", "emisor", "pais", "tipo_instrumento", "valorizacion",
		"pct_activo",
	}
	return []*format{
		holdingsFormat(file, naci, func(r *row) *model.Holding {
			return &model.Holding{
				Market:      "N",
				RUN:         r.run(0),
				Nemotecnico: r.repairedText(2, 100),
				IssuerRUT:   r.issuer(3, 4),
				Country:     r.repairedText(5, 40),
				Instrument:  r.instrument(6),
				Units:       r.maybe(11, unitsShape),
				Valuation:   r.maybe(19, chargeShape),
				Currency:    r.repairedText(20, 10),
				Percent:     r.maybe(24, weightShape),
			}
		}),
		holdingsFormat(file, extr, func(r *row) *model.Holding {
			return &model.Holding{
				Market:      "E",
				RUN:         r.run(0),
				Nemotecnico: r.repairedText(2, 100),
				Issuer:      r.repairedText(3, 300),
				Country:     r.repairedText(4, 40),
				Instrument:  r.instrument(5),
				Units:       r.maybe(10, unitsShape),
				Valuation:   r.maybe(18, chargeShape),
				Currency:    r.repairedText(19, 10),
				Percent:     r.maybe(23, weightShape),
			}
		}),
		investmentHoldings(holdingsFormat(file, investment, func(r *row) *model.Holding {
			return &model.Holding{
				RUN:         r.run(0),
				Market:      r.oneOf(1, "N", "E", "M", "B", "O", "F"),
				Nemotecnico: r.repairedText(2, 100),
				IssuerRUT:   r.issuer(3, -1),
				Issuer:      r.repairedText(4, 300),
				Country:     r.repairedText(5, 40),
				Instrument:  r.instrumentOfTotals(6),
				Valuation:   r.maybe(7, chileanAmountShape),
				Percent:     r.maybe(8, chileanWeightShape),
			}
		})),
	}
}

// portfolio is the fund and market within which positions are numbered.
type portfolio struct {
	run    model.RUN
	market string
}

func holdingsFormat(file string, columns []string, position func(*row) *model.Holding) *format {
	var month model.Date
	if match := holdingsMonth.FindStringSubmatch(file); match != nil {
		if first, err := model.ParseCompactDate(match[1] + "01"); err == nil {
			year, number, _ := first.Time().Date()
			month = model.NewDate(year, number+1, 0)
		}
	}
	positions := map[portfolio]uint32{}
	return &format{
		columns:   columns,
		key:       []int{0},
		separator: ';',
		ready: func(latest model.Date) error {
			switch {
			case month.IsZero():
				return &Refusal{Reason: "the file does not state its month: rename it so that its name ends in " +
					"_YYYYMM.txt or _YYYYMM.csv, and ingest it again"}
			case month.Compare(FirstDay) < 0 || month.Compare(latest) > 0:
				return &Refusal{Reason: "the file's name says that its portfolios closed on " + month.String() +
					", which is before 1971 or in the future: correct _YYYYMM in its name, and ingest it again"}
			}
			return nil
		},
		parse: func(r *row) (model.Event, model.Date) {
			holding := position(r)
			holding.Source, holding.Month = r.source, month
			if r.err == nil {
				counted := portfolio{holding.RUN, holding.Market}
				positions[counted]++
				holding.Position = positions[counted]
			}
			return holding, month
		},
	}
}

// investmentHoldings completes the format of investment funds. Their files are made from
// pages and spreadsheets, which contain rows of totals.
func investmentHoldings(f *format) *format {
	f.quoted = true
	f.aside = func(fields []string) bool {
		if len(fields) != len(f.columns) || !allBlank(fields[5:7]) { // country and instrument
			return false
		}
		for _, field := range fields[:3] { // fund, market, nemotécnico
			if word, _, _ := strings.Cut(strings.TrimSpace(field), " "); strings.EqualFold(word, "TOTAL") {
				return true
			}
		}
		return false
	}
	return f
}

// instrument reads the code of an instrument. A position without one is still a part of
// the portfolio.
func (r *row) instrument(column int) string {
	code := r.repairedText(column, MaxWord)
	if code == "" {
		r.unknown = append(r.unknown, column)
	}
	return code
}

// instrumentOfTotals reads the code of an instrument in a file that may have totals. A row
// without one may be a total, which would count twice.
func (r *row) instrumentOfTotals(column int) string {
	code := r.repairedText(column, MaxWord)
	if code == "" {
		r.fail(column, errors.New(
			"is blank, so that the row may be a total; give the position its instrument, or begin the total with TOTAL"))
	}
	return code
}

// issuer reads a RUT that may be missing. Its check digit may stand in a column of its
// own. What is no RUT costs no position: its issuer is unknown.
func (r *row) issuer(column, check int) model.RUT {
	text := r.fields[column]
	switch text {
	case "", noIssuer:
		return 0
	}
	if check >= 0 && r.fields[check] != "" {
		text += "-" + r.fields[check]
	}
	rut, err := model.ParseRUT(text)
	if err != nil {
		r.unknown = append(r.unknown, column)
		return 0
	}
	return rut
}
