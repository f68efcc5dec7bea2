package parse

import (
	"regexp"

	"github.com/shopspring/decimal"

	"cuota/model"
)

// fiFile matches the start of a file name that states the fund.
var fiFile = regexp.MustCompile(`(?i)^fi_(\d{1,8}(?:-[\dk])?)_`)

// namedFund returns the RUN that the name of a file states, 0 if it states none.
func namedFund(file string) model.RUN {
	if match := fiFile.FindStringSubmatch(file); match != nil {
		if run, err := model.ParseRUN(match[1]); err == nil {
			return run
		}
	}
	return 0
}

// fiValuesFormats reads the daily book values of investment funds: the table of the
// regulator's page, saved as the page or as CSV. The page is about one fund and does not
// state its RUN, so the RUN comes from the file's name or from a column before the
// others.
func fiValuesFormats(file string) []*format {
	named := namedFund(file)
	var formats []*format
	for _, contributors := range []string{"N° de Aportantes", "N Aportantes"} { // copies of the page differ
		columns := []string{
			"Fecha", "Serie", "Moneda", "Valor Libro", "Valor Económico", "Patrimonio Neto", "Activo Total",
			contributors, "N° Aportantes Institucionales", "Agencia",
		}
		ofOneFund := fiValuesFormat(columns, 0, func(*row) model.RUN { return named }, func(model.Date) error {
			if named == 0 {
				return &Refusal{Reason: "the file does not state its fund: begin its name with fi_RUN_, as in " +
					"fi_9278_202506.csv, or put a column RUN before the others, and ingest it again"}
			}
			return nil
		})
		ofOneFund.fund = named
		formats = append(formats, ofOneFund,
			fiValuesFormat(append([]string{"RUN"}, columns...), 1, func(r *row) model.RUN { return r.run(0) }, nil))
	}
	return formats
}

// fiValuesFormat reads the columns that start at first.
func fiValuesFormat(columns []string, first int, fund func(*row) model.RUN, ready func(model.Date) error) *format {
	return &format{
		columns:   columns,
		key:       []int{first, first + 1},
		separator: ';',
		quoted:    true,
		page:      true,
		ahead:     oneDayAhead,
		ready:     ready,
		identify: func(r *row, reject *model.Reject) {
			known := len(r.fields)
			if r.cut {
				known--
			}
			if len(r.fields) != len(columns) || known <= first+1 {
				return
			}
			run, date, serie := fund(r), r.day(first, model.ParseSlashDate), r.serie(first+1)
			if r.err == nil {
				reject.RUN, reject.Date, reject.Serie = run, date, serie
			}
		},
		parse: func(r *row) (model.Event, model.Date) {
			value := &model.InvestmentValue{
				Source:    r.source,
				RUN:       fund(r),
				Date:      r.day(first, model.ParseSlashDate),
				Serie:     r.serie(first + 1),
				Currency:  r.currency(first + 2),
				BookValue: r.number(first+3, chileanUnitShape),
				EconomicValue: optional(r, first+4, func(column int) decimal.NullDecimal {
					return r.maybe(column, chileanUnitShape)
				}),
				Equity: r.maybe(first+5, chileanAmountShape),
				TotalAssets: optional(r, first+6, func(column int) decimal.NullDecimal {
					return r.maybe(column, chileanAmountShape)
				}),
				Contributors:  r.maybeGroupedPeople(first + 7),
				Institutional: optional(r, first+8, r.maybeGroupedPeople),
				Agency:        r.repairedText(first+9, 100),
			}
			return value, value.Date
		},
	}
}

// maybeGroupedPeople reads a number of people in the form 1.234, or blank.
func (r *row) maybeGroupedPeople(column int) *uint32 {
	if r.fields[column] == "" {
		return nil
	}
	r.forms.of(column).noteCount(r.fields[column])
	plain, err := plainChilean(r.fields[column])
	if err != nil {
		r.fail(column, err)
		return nil
	}
	n, err := parsePeople(plain)
	if err != nil {
		r.fail(column, err)
	}
	return &n
}
