package parse

import (
	"fmt"

	"github.com/shopspring/decimal"

	"cuota/ingest/excerpt"
	"cuota/model"
)

// oneDayAhead allows dates of tomorrow, for a file that is published in the evening and
// for a clock that is slightly fast.
const oneDayAhead = 1

// cartolaColumns are the columns of the regulator's daily file, all funds.
var cartolaColumns = []string{
	"RUN_ADM", "NOM_ADM", "RUN_FM", "FECHA_INF", "ACTIVO_TOT", "MONEDA", "PARTICIPES_INST", "INVERSION_EN_FONDOS",
	"SERIE", "CUOTAS_APORTADAS", "CUOTAS_RESCATADAS", "CUOTAS_EN_CIRCULACION", "VALOR_CUOTA", "PATRIMONIO_NETO",
	"NUM_PARTICIPES", "NUM_PARTICIPES_INST", "FONDO_PEN", "REM_FIJA", "REM_VARIABLE", "GASTOS_AFECTOS",
	"GASTOS_NO_AFECTOS", "COMISION_INVERSION", "COMISION_RESCATE", "FACTOR DE AJUSTE", "FACTOR DE REPARTO",
}

// Columns that identify a row, and those before the series whose form is checked where
// columns are missing, from 0.
const (
	cartolaRUN           = 2
	cartolaDate          = 3
	cartolaAssets        = 4
	cartolaCurrency      = 5
	cartolaInstitutional = 6
	cartolaInFunds       = 7
	cartolaSerie         = 8
)

func cartolaFormat() *format {
	quota := new(model.Quota) // one for the whole file, to save allocations: a month has 90,000 rows
	return &format{
		columns:   cartolaColumns,
		key:       []int{cartolaRUN, cartolaDate, cartolaSerie},
		separator: ';',
		ahead:     oneDayAhead,
		identify:  identifyQuota,
		parse: func(r *row) (model.Event, model.Date) {
			*quota = model.Quota{
				Source:             r.source,
				ManagerRUT:         r.rut(0),
				Manager:            r.text(1, 200),
				RUN:                r.run(cartolaRUN),
				Date:               r.day(cartolaDate, model.ParseCompactDate),
				TotalAssets:        r.numberOrNull(cartolaAssets, amountShape),
				Currency:           r.currency(cartolaCurrency),
				InstitutionalFlag:  r.word(cartolaInstitutional, "S", "N"),
				InvestedInFunds:    r.numberOrNull(cartolaInFunds, amountShape),
				Serie:              r.serie(cartolaSerie),
				UnitsContributed:   r.number(9, amountShape),
				UnitsRedeemed:      r.number(10, amountShape),
				UnitsOutstanding:   r.number(11, amountShape),
				Quota:              r.quota(12),
				Equity:             r.number(13, amountShape),
				Shareholders:       r.people(14),
				Institutional:      r.peopleOrNull(15),
				PensionFlag:        r.word(16, "S", "N"),
				FixedFee:           r.number(17, chargeShape),
				VariableFee:        r.number(18, chargeShape),
				AffectedExpenses:   r.number(19, chargeShape),
				UnaffectedExpenses: r.number(20, chargeShape),
				SubscriptionFee:    r.numberOrNull(21, chargeShape),
				RedemptionFee:      r.numberOrNull(22, chargeShape),
				AdjustmentFactor:   r.factor(23),
				DistributionFactor: r.factor(24),
			}
			return quota, quota.Date
		},
	}
}

// quota reads the value of a quota. Zero is as invalid as a negative value (RULES 1).
func (r *row) quota(column int) decimal.Decimal {
	quota := r.number(column, quotaShape)
	if r.err == nil && !quota.IsPositive() {
		r.fail(column, fmt.Errorf(
			"%s is not above 0, and the value of a quota must be above 0; have the source correct it",
			excerpt.Quoted(r.fields[column])))
	}
	return quota
}

// factor reads a factor by which a quota is multiplied. Blank or 0 means that none was
// stated, which counts as 1 (RULES 1).
func (r *row) factor(column int) decimal.NullDecimal {
	factor := r.maybe(column, factorShape)
	if factor.Decimal.IsZero() {
		return decimal.NullDecimal{}
	}
	return factor
}

// identifyQuota finds the series and the day of a rejected row, so that the day's quota
// is recorded as unusable. It must never name a wrong day. It does not read a field in
// which the line may have been cut off. Where the number of columns is wrong, all columns up to
// the series must have their form, and a number in place of the series is that of another
// column: a series that never existed would be missed on every later day.
func identifyQuota(r *row, reject *model.Reject) {
	known := len(r.fields)
	if r.cut {
		known--
	}
	if known <= cartolaSerie {
		return
	}
	run, date, serie := r.run(cartolaRUN), r.day(cartolaDate, model.ParseCompactDate), r.serie(cartolaSerie)
	if len(r.fields) != len(r.format.columns) {
		if _, err := parseDecimal(r.fields[cartolaSerie], amountShape); err == nil {
			return
		}
		r.rut(0)
		r.number(cartolaAssets, amountShape)
		r.oneOf(cartolaCurrency, "$$", "PROM", "EUR")
		r.oneOf(cartolaInstitutional, "S", "N")
		r.number(cartolaInFunds, amountShape)
	}
	if r.err == nil {
		reject.RUN, reject.Date, reject.Serie = run, date, serie
	}
}
