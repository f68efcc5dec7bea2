package marketpages

import "cuota/internal/site/locale"

// reasons says in words why a value is null, by the reason of the API.
var reasons = map[string]locale.Phrase{
	"no_complete_cutoff": {"ningún día está completo todavía", "no day is complete yet"},
	"incomplete_business_day": {
		"el día hábil no está completo: sus aportes y rescates están en varios días y falta alguno",
		"the business day is not complete: its contributions and redemptions are on several days, and one is missing"},
	"no_closed_month": {"no hay un mes cerrado", "there is no closed month"},
	"missing_end_quote": {"no hay valor cuota al final del período",
		"there is no quota at the end of the period"},
	"invalid_end_quote": {"el valor cuota del final no sirve", "the quota at the end can't be used"},
	"stale_end_quote":   {"el último valor cuota es demasiado antiguo", "the last quota is too old"},
	"missing_start_quote": {"no hay valor cuota al inicio del período",
		"there is no quota at the start of the period"},
	"invalid_start_quote": {"el valor cuota del inicio no sirve", "the quota at the start can't be used"},
	"stale_start_quote": {"el valor cuota del inicio es demasiado antiguo",
		"the quota at the start is too old"},
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
		"the verified factor is of another quota"},
	"invalid_distribution_factor": {"el factor de reparto no sirve", "the factor of a distribution can't be used"},
	"unsupported_adjustment":      {"hay un cambio de unidad de la cuota", "there is a change of the quota's unit"},
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
		"there is no quota on that day or the seven after it"},
	"invalid_quote":    {"el valor cuota de ese día no sirve", "the quota of that day can't be used"},
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
	"no_index": {"la familia no tiene índice en esos días, porque se conocen muy pocas series",
		"the family has no index on these days, because too few series are known"},
	"index_gap":             {"el índice de la familia se interrumpe", "the index of the family is interrupted"},
	"no_open_series":        {"ninguna serie de su grupo tenía TAC y patrimonio", "no series of its group had a TAC and equity"},
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
