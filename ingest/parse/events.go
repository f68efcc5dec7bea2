package parse

import (
	"errors"
	"strings"

	"github.com/shopspring/decimal"

	"cuota/ingest/excerpt"
	"cuota/model"
)

// Dataset events has six kinds of row, each with its own header. A file holds one kind,
// and the first column repeats it in every row.

// factorFormat reads verified factors, one for each series and day (RULES 1).
func factorFormat() *format {
	columns := []string{
		"kind", "run", "serie", "date", "distribution_factor", "adjustment_factor", "quota", "currency", "source_url",
		"source_sha256",
	}
	return eventFormat(columns, func(r *row) (model.Event, model.Date) {
		factor := &model.Factor{
			Source:       r.source,
			Kind:         r.oneOf(0, model.KindFactor),
			RUN:          r.run(1),
			Serie:        r.serie(2),
			Date:         r.day(3, model.ParseDate),
			Distribution: r.multiplier(4),
			Adjustment:   r.multiplier(5),
			Quota:        r.number(6, quotaShape),
			Currency:     r.oneOf(7, "PESOS", "DOLAR"),
			Evidence:     r.evidence(8, 9),
		}
		return factor, factor.Date
	})
}

// exchangeFormat reads exchanges: quotas of one series become quotas of another.
func exchangeFormat() *format {
	columns := []string{
		"kind", "event_id", "revision", "origin_run", "origin_serie", "destination_run", "destination_serie",
		"effective_date", "valuation_date", "factor", "source_url", "source_sha256",
	}
	return eventFormat(columns, func(r *row) (model.Event, model.Date) {
		exchange := &model.Exchange{
			Source:           r.source,
			Kind:             r.oneOf(0, model.KindExchange),
			EventID:          r.eventID(1),
			EventRevision:    r.count(2),
			OriginRUN:        r.run(3),
			OriginSerie:      r.serie(4),
			DestinationRUN:   r.run(5),
			DestinationSerie: r.serie(6),
			Effective:        r.day(7, model.ParseDate),
			Valuation:        r.day(8, model.ParseDate),
			Factor:           r.multiplier(9),
			Evidence:         r.evidence(10, 11),
		}
		if r.err == nil && exchange.OriginRUN == exchange.DestinationRUN &&
			exchange.OriginSerie == exchange.DestinationSerie {
			r.fail(6, errors.New("is the series itself, but an exchange leads to another series; correct the row"))
		}
		return exchange, exchange.Effective
	})
}

// renameFormat reads renames of series.
func renameFormat() *format {
	columns := []string{
		"kind", "run", "previous_serie", "current_serie", "first_current_date", "source_url", "source_sha256",
	}
	return eventFormat(columns, func(r *row) (model.Event, model.Date) {
		rename := &model.Rename{
			Source:        r.source,
			Kind:          r.oneOf(0, model.KindRename),
			RUN:           r.run(1),
			PreviousSerie: r.serie(2),
			CurrentSerie:  r.serie(3),
			FirstCurrent:  r.day(4, model.ParseDate),
			Evidence:      r.evidence(5, 6),
		}
		return rename, rename.FirstCurrent
	})
}

// discontinuityFormat reads known breaks of series.
func discontinuityFormat() *format {
	columns := []string{"kind", "run", "serie", "date", "note", "source_url", "source_sha256"}
	return eventFormat(columns, func(r *row) (model.Event, model.Date) {
		discontinuity := &model.Discontinuity{
			Source:   r.source,
			Kind:     r.oneOf(0, model.KindDiscontinuity),
			RUN:      r.run(1),
			Serie:    r.serie(2),
			Date:     r.day(3, model.ParseDate),
			Note:     r.name(4),
			Evidence: r.evidence(5, 6),
		}
		return discontinuity, discontinuity.Date
	})
}

// riskFreeFormat reads dated risk-free rates (RULES 5).
func riskFreeFormat() *format {
	columns := []string{"kind", "date", "annual_percent", "name", "source_url", "source_sha256"}
	return eventFormat(columns, func(r *row) (model.Event, model.Date) {
		rate := &model.RiskFree{
			Source:   r.source,
			Kind:     r.oneOf(0, model.KindRiskFree),
			Date:     r.day(1, model.ParseDate),
			Percent:  r.number(2, returnShape),
			Name:     r.name(3),
			Evidence: r.evidence(4, 5),
		}
		return rate, rate.Date
	})
}

// endFormat reads ends of series, of funds and of the market.
func endFormat() *format {
	columns := []string{"kind", "run", "serie", "ended_on", "note", "source_url", "source_sha256"}
	return eventFormat(columns, func(r *row) (model.Event, model.Date) {
		end := &model.End{
			Source:   r.source,
			Kind:     r.oneOf(0, model.KindEnd),
			Ended:    r.day(3, model.ParseDate),
			Note:     r.name(4),
			Evidence: r.evidence(5, 6),
		}
		everyFund, everySeries := r.fields[1] == every, r.fields[2] == every
		if !everyFund {
			end.RUN = r.run(1)
		}
		if !everySeries {
			end.Serie = r.serie(2)
		}
		if r.err == nil && everyFund && !everySeries {
			r.fail(2, errors.New("names a series of every fund; write * for every series, or the RUN of one fund"))
		}
		return end, end.Ended
	})
}

// every stands for every fund, or for every series of a fund.
const every = "*"

func eventFormat(columns []string, parse func(*row) (model.Event, model.Date)) *format {
	return &format{columns: columns, key: []int{0}, separator: ',', ahead: oneDayAhead, parse: parse}
}

// multiplier reads a verified factor. Unlike in the cartola, it may not be blank.
func (r *row) multiplier(column int) decimal.Decimal {
	factor := r.number(column, factorShape)
	if r.err == nil && factor.IsZero() {
		r.fail(column, errors.New("is 0, expected a factor to multiply by; write 1 if nothing changed"))
	}
	return factor
}

// eventID reads the id of an event. It rejects a colon, because a colon separates the id
// from the revision in the key.
func (r *row) eventID(column int) string {
	id := r.name(column)
	if strings.ContainsRune(id, ':') {
		r.fail(column, errors.New(excerpt.Quoted(id)+" has a colon; remove it"))
	}
	return id
}
