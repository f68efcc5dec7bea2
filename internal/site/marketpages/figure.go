package marketpages

import (
	"math"
	"strconv"
	"strings"
	"time"

	"cuota/internal/santiago"
	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/facts"
	"cuota/query/summary"
)

// The functions of this file return cells. A nil value is a dash with the reason that is given.

// word is a cell with a text.
func word(text string) cell { return cell{Text: locale.Shown(text), Word: text} }

// linked is a cell with a text that leads to another page.
func linked(text, link string) cell { return cell{Text: locale.Shown(text), Word: text, Link: link} }

// familyCell is a cell with the name of a family of the regulator. On hover, and in files, it is as the regulator
// writes it.
func familyCell(name, link string) cell {
	c := linked(name, link)
	if c.Text = locale.Shown(familyname.Spelt(name)); c.Text != name {
		c.Full = locale.Shown(name)
	}
	c.Text = locale.Bound(c.Text)
	return c
}

// missing is a cell without a value.
func missing(reason string) cell { return cell{Text: locale.Dash, Reason: reason} }

// optional is a cell with a text that may be unknown.
func optional(text *string, reason string) cell {
	if text == nil || *text == "" {
		return missing(reason)
	}
	return word(*text)
}

// fraction is a cell with a fraction in percent, such as a cost.
func (v *visit) fraction(value *float64, decimals int, reason string) cell {
	if value == nil {
		return missing(reason)
	}
	return cell{Text: v.Lang.Percent(*value, decimals), Number: value, Shown: shownPercent(decimals)}
}

// change is a cell with a fraction that has a sign and a colour, such as a return.
func (v *visit) change(value *float64, reason string) cell {
	if value == nil {
		return missing(reason)
	}
	c := cell{Text: locale.Signed(*value, v.Lang.Percent(*value, 2)), Number: value, Shown: shownPercent(2)}
	switch rounded := math.Round(*value * 1e4); {
	case rounded > 0:
		c.Class = "gain"
	case rounded < 0:
		c.Class = "loss"
	}
	return c
}

// points is change for a value in percent points.
func (v *visit) points(value *float64, reason string) cell {
	if value == nil {
		return missing(reason)
	}
	fraction := *value / 100
	return v.change(&fraction, reason)
}

// number is a cell with a number.
func (v *visit) number(value *float64, decimals int, reason string) cell {
	if value == nil {
		return missing(reason)
	}
	return cell{Text: v.Lang.Number(*value, decimals), Number: value, Shown: shownNumber(decimals)}
}

// mostDecimals is how many decimals an amount in millions has at most.
const mostDecimals = 3

// millionsCell is a cell with an amount in millions. What those decimals would round to zero has more of them: a series
// with a few shareholders is not shown as one without equity.
func (v *visit) millionsCell(value *float64, decimals int, reason string) cell {
	if value == nil {
		return missing(reason)
	}
	c := v.number(value, millionsDecimals(*value, decimals), reason)
	if least := math.Pow10(-mostDecimals); *value > 0 && *value < least/2 {
		c.Text = v.Say("menos de ", "less than ") + v.Lang.Number(least, mostDecimals)
	}
	return c
}

// millionsDecimals returns how many decimals an amount in millions has, at least so many.
func millionsDecimals(value float64, decimals int) int {
	size := math.Abs(value)
	for decimals < mostDecimals && size > 0 && size < 0.5*math.Pow10(-decimals) {
		decimals++
	}
	return decimals
}

// moneySigns are the signs of currencies behind an amount. Amounts in pesos have none.
var moneySigns = map[string]string{"PESOS": "", "CLP": "", "DOLAR": "US$", "USD": "US$", "EUR": "€"}

// ownMillions is a cell with equity in millions of the series' own currency, which it names where that is not pesos.
func (v *visit) ownMillions(equity *float64, currency string) cell {
	c := v.millionsCell(equity, 0, v.Say("sin patrimonio informado", "no equity was stated"))
	sign, known := moneySigns[currency]
	if !known {
		sign = locale.Shown(currency)
	}
	if equity != nil && sign != "" {
		c.Text += locale.NoBreak + sign
	}
	return c
}

// count is a cell with a whole number.
func (v *visit) count(n int) cell {
	value := float64(n)
	return v.number(&value, 0, "")
}

// day is a cell with a date.
func (v *visit) day(date *model.Date, reason string) cell {
	if date == nil {
		return missing(reason)
	}
	number := float64(date.Time().Unix())
	return cell{Text: v.Lang.Day(*date), Number: &number, Shown: shownDay}
}

// moment is a cell with an instant, in the time of Santiago.
func (v *visit) moment(at time.Time) cell {
	if at.Year() < 1971 {
		return missing(v.Say("no se sabe cuándo", "it is not known when"))
	}
	local := at.In(santiago.Zone)
	number := float64(at.Unix())
	return cell{Text: v.Lang.Day(model.NewDate(local.Date())) + ", " + local.Format("15:04"), Number: &number}
}

// idText returns the decimal id of a series.
func idText(id uint32) string { return strconv.FormatUint(uint64(id), 10) }

// changeOf is a cell with a change of a family in percent points. It says of how many of its series the change is
// and which part of the equity they hold, unless it is of nearly all, and why there is none (RULES 7, coverage).
func (v *visit) changeOf(change *float64, of summary.FigureCoverage) cell {
	return v.covered(v.points(change, v.tooFew()), of)
}

// covered is the cell of a figure of a family with its coverage, or why it has no value.
func (v *visit) covered(c cell, of summary.FigureCoverage) cell {
	if c.Reason != "" && isOfOneFund(of) {
		c = missing(v.Say("los datos son de un solo fondo: se muestra con series de al menos dos",
			"the data are of a single fund: it is shown for series of at least two"))
		c.Sub = v.Say("datos de un solo fondo", "data of one fund only")
		return c
	}
	c.Sub = v.shortCoverage(of)
	return c
}

// isOfOneFund reports whether a figure is missing only because all series that have it are of one fund: they are
// enough, and hold enough of the equity (RULES 7, coverage).
func isOfOneFund(of summary.FigureCoverage) bool {
	return of.Reason != nil && of.Series >= 3 && of.EquityShare != nil && *of.EquityShare >= 0.5
}

// officialReturn is a cell with a mean return that the regulator states of a family, with its coverage as in changeOf.
func (v *visit) officialReturn(of summary.OfficialReturn) cell {
	if of.Coverage.Series == 0 {
		return missing(v.Say("la CMF no informa ninguna", "the CMF states none"))
	}
	return v.covered(v.change(of.Value, v.tooFew()), of.Coverage)
}

// tooFew says why a figure of a family is not shown.
func (v *visit) tooFew() string {
	return v.Say("hay muy pocos datos: se muestra con al menos tres series de dos fondos y la mitad del patrimonio",
		"too little is known: it is shown for at least three series of two funds and half of the equity")
}

// coverageText says of how many series a figure is, and which part of the equity they hold.
func (v *visit) coverageText(of facts.Coverage) string {
	text := v.count(int(of.Series)).Text + v.Say(" de ", " of ") + v.count(int(of.OfSeries)).Text + " series"
	if of.EquityShare == nil || of.Series == 0 {
		return text
	}
	return text + ", " + v.equityShare(*of.EquityShare) + v.Say(" del patrimonio", " of the equity")
}

// nearlyAll is the share of equity from which on a cell does not say of how many series its figure is.
const nearlyAll = 0.995

// shortCoverage is coverageText for a cell of a table, which has room only for the share. It is empty if the figure
// is of nearly all of the equity.
func (v *visit) shortCoverage(of summary.FigureCoverage) string {
	if of.Series == of.OfSeries || of.EquityShare != nil && *of.EquityShare >= nearlyAll {
		return ""
	}
	return strings.TrimSuffix(v.coverageText(of.Coverage), v.Say(" del patrimonio", " of the equity"))
}

// equityShare writes a share. It has decimals where it would be rounded to 0 %, 50 % or 100 %, though it is not that.
func (v *visit) equityShare(share float64) string {
	decimals := 0
	if share < 0.01 || share > 0.99 && share < 1 || math.Abs(share-0.5) < 0.01 {
		decimals = 2
	}
	return v.Lang.Percent(share, decimals)
}

// reasons says in words why a value is null, by the reason of the API.
var reasons = map[string]locale.Phrase{
	"no_complete_cutoff": {"ningún día está completo todavía", "no day is complete yet"},
	"incomplete_business_day": {
		"el día hábil no está completo: sus aportes y rescates están en varios días y falta alguno",
		"the business day is not complete: its contributions and redemptions are on several days, and one is missing"},
	"no_closed_month": {"no hay un mes cerrado", "there is no closed month"},
	"missing_end_quote": {"no hay valor cuota al final del período",
		"there is no unit price at the end of the period"},
	"invalid_end_quote": {"el valor cuota del final no sirve", "the unit price at the end can't be used"},
	"stale_end_quote":   {"el último valor cuota es demasiado antiguo", "the last unit price is too old"},
	"missing_start_quote": {"sin valor cuota al inicio",
		"no unit price at the start"},
	"invalid_start_quote": {"el valor cuota del inicio no sirve", "the unit price at the start can't be used"},
	"stale_start_quote": {"el valor cuota del inicio es demasiado antiguo",
		"the unit price at the start is too old"},
	"unknown_currency":    {"no se conoce la moneda", "the currency is unknown"},
	"currency_change":     {"la moneda cambió en el período", "the currency changed within the period"},
	"known_discontinuity": {"hay un quiebre en el período", "there is a break within the period"},
	"non_finite_return":   {"el resultado no es un número", "the result is no number"},
	"source_unavailable":  {"no hay fuente", "there is no source"},
	"not_in_source": {"el comparador de la CMF no tiene esta serie",
		"the comparator of the CMF does not have this series"},
	"not_rated_by_cmf": {"la CMF no la califica", "the CMF does not rate it"},
	"source_after_requested_date": {"el comparador de la CMF es posterior a la fecha",
		"the comparator of the CMF is later than the date"},
	"unavailable_return":       {"falta una de las rentabilidades", "one of the returns is missing"},
	"currency_mismatch":        {"las monedas son distintas", "the currencies differ"},
	"effective_dates_mismatch": {"las fechas efectivas son distintas", "the effective dates differ"},
	"missing_end_fx":           {"falta el dólar del final", "the dollar rate of the end is missing"},
	"missing_start_fx":         {"falta el dólar del inicio", "the dollar rate of the start is missing"},
	"invalid_end_fx":           {"el dólar del final no sirve", "the dollar rate of the end can't be used"},
	"invalid_start_fx":         {"el dólar del inicio no sirve", "the dollar rate of the start can't be used"},
	"stale_end_fx": {"el dólar del final es demasiado antiguo",
		"the dollar rate of the end is too old"},
	"stale_start_fx": {"el dólar del inicio es demasiado antiguo",
		"the dollar rate of the start is too old"},
	"missing_end_uf":   {"falta la UF del final", "the UF of the end is missing"},
	"missing_start_uf": {"falta la UF del inicio", "the UF of the start is missing"},
	"invalid_end_uf":   {"la UF del final no sirve", "the UF of the end can't be used"},
	"invalid_start_uf": {"la UF del inicio no sirve", "the UF of the start can't be used"},
	"missing_factor_coverage": {"no hay factores verificados de todos los días",
		"there are not verified factors of all days"},
	"duplicate_factor_date": {"un día tiene dos factores verificados", "a day has two verified factors"},
	"factor_currency_mismatch": {"el factor verificado es de otra moneda",
		"the verified factor is of another currency"},
	"factor_quote_mismatch": {"el factor verificado es de otro valor cuota",
		"the verified factor is of another unit"},
	"invalid_distribution_factor": {"el factor de reparto no sirve", "the factor of a distribution can't be used"},
	"unsupported_adjustment":      {"hay un cambio de unidad de la cuota", "there is a change of what one unit is"},
	"ambiguous_exchange_distribution": {"un canje y un reparto son del mismo día",
		"an exchange and a distribution are of the same day"},
	"origin_not_active_at_start": {"la serie de origen no existía al inicio",
		"the series of origin did not exist at the start"},
	"ambiguous_continuation": {"no se sabe cuál serie la continúa",
		"it is not known which series continues it"},
	"continuation_cycle": {"los canjes de la serie vuelven a ella",
		"the exchanges of the series lead back to it"},
	"continuation_limit":   {"hay demasiados canjes seguidos", "there are too many exchanges in a row"},
	"invalid_continuation": {"un canje de la serie no sirve", "an exchange of the series can't be used"},
	"no_stored_return":     {"no hay rentabilidad guardada de ese día", "no return of that day is stored"},
	// Of a reader's own portfolio.
	"unknown_series": {"no conocemos esa serie de fondo mutuo", "no series of a mutual fund is known by that name"},
	"after_as_of":    {"es posterior a la fecha de la valorización", "it is after the date of the valuation"},
	"no_quote_within_7_days": {"no hay valor cuota en ese día ni en los siete siguientes",
		"there is no unit price on that day or the seven after it"},
	"no_quote_yet": {"todavía no hay un valor cuota para ese movimiento",
		"there is no unit price for this transaction yet"},
	"invalid_quote":    {"el valor cuota de ese día no sirve", "the unit price of that day can't be used"},
	"more_than_held":   {"se vende más de lo que hay", "more is sold than is held"},
	"nothing_bought":   {"no hay compras", "nothing was bought"},
	"under_30_days":    {"son menos de 30 días", "it is less than 30 days"},
	"under_1_year":     {"es un año o menos", "it is a year or less"},
	"no_sign_change":   {"ninguna tasa iguala lo que entró y lo que salió", "no rate makes what went in equal what came out"},
	"several_rates":    {"varias tasas cumplen la ecuación", "several rates solve the equation"},
	"no_rate_in_range": {"la tasa es extrema", "the rate is extreme"},
	"missing_uf":       {"falta la UF de un día", "the UF of a day is missing"},
	"no_tac":           {"no se conoce su TAC en ese tiempo", "its TAC in that time is unknown"},
	"no_family":        {"no se conoce su familia", "its family is unknown"},
	"no_class":         {"no se conoce su clase de inversionista", "its investor class is unknown"},
	"no_index":         {"la familia no tiene índice en esos días", "the family has no index on these days"},
	"index_gap":        {"el índice de la familia se interrumpe", "the index of the family is interrupted"},
	"no_open_series":   {"ninguna serie de su grupo tenía TAC y patrimonio", "no series of its group had a TAC and equity"},
	"exchanged":        {"sus cuotas se canjearon por las de otra serie", "its units were exchanged for those of another series"},
	"cheapest_closed": {"la serie más barata de entonces cerró antes del final",
		"the series that was the cheapest closed before the end"},
	// Of correlations.
	"under_24_months": {"son menos de 24 meses comunes", "there are fewer than 24 months in common"},
	"no_variation":    {"sus rentabilidades no varían", "its returns do not vary"},

	"return_basis_mismatch": {"las bases de cálculo son distintas", "the bases of computation differ"},
}

// reason says in words why a value is null. A reason without a text is shown as it is.
func (v *visit) reason(code *string) string {
	if code == nil {
		return v.Say("sin dato", "no data")
	}
	if text, known := reasons[*code]; known {
		return text.In(v.Lang)
	}
	return *code
}
