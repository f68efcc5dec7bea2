package report

import (
	"cuota/internal/site/locale"
	"fmt"
	"strings"
)

// phrase is a text of the report in each language. Its verbs are those of fmt, in the same order
// in both.
type phrase struct{ es, en string }

// say returns a text. It fails if there is none with this key.
func say(l Language, key string, values ...any) (string, error) {
	p, found := texts[key]
	if !found {
		return "", fmt.Errorf("the report has no text %q", key)
	}
	form := p.es
	if l == English {
		form = p.en
	}
	form = strings.ReplaceAll(form, "§ ", "§"+locale.NoBreak)
	if len(values) == 0 {
		return form, nil
	}
	return fmt.Sprintf(form, values...), nil
}

// texts has every text of the report. Keys with a dot are for codes of a result.
var texts = map[string]phrase{
	"kind": {"Prueba histórica (backtest) de una estrategia con fondos mutuos de Chile",
		"Backtest of a strategy with Chilean mutual funds"},
	"period":   {"Del %s al %s", "From %s to %s"},
	"contents": {"Contenido", "Contents"},
	"lead": {"La cartera partió con %s el %s y terminó con %s el %s: %s en total.",
		"The portfolio began with %s on %s and ended with %s on %s: %s in total."},
	"lead_year":      {"Eso es %s por año.", "That is %s per year."},
	"lead_benchmark": {"La referencia (%s) rindió %s en total.", "The benchmark (%s) returned %s in total."},
	"lead_rank": {"La estrategia ocupa el lugar %s entre %s: las series de la primera fecha, mantenidas hasta " +
		"el final, y ella misma.",
		"The strategy has rank %s of %s: the series of the first date, held until the end, and itself."},
	"lead_empty": {"Ninguna serie fue seleccionada en ninguna fecha (%s en total). La cartera fue solo caja.",
		"No series was selected on any date (%s dates). The portfolio was cash only."},
	"lead_nothing": {"No hay resultado: ninguna fecha del período tiene datos del mercado.",
		"There is no result: no date of the period has data of the market."},
	"units": {"%s unidades", "%s units"},

	"notes": {"Avisos", "Notes"},
	"note.no_dates": {
		"El mercado no tiene datos para ninguna fecha del %s al %s; su último día completo es el %s.",
		"The market has no data for any date from %s to %s; its latest complete day is %s."},
	"note.empty_universe": {"El universo está vacío en las %s fechas; la cartera es caja.",
		"The universe is empty on all %s dates; the portfolio is cash."},
	"note.nothing_selected": {
		"No se seleccionó nada en ninguna de las %s fechas; las exclusiones más frecuentes: %s. La cartera es caja.",
		"Nothing was selected on any of the %s dates; the most frequent exclusions: %s. The portfolio is cash."},
	"note.sometimes_nothing": {"No se seleccionó nada en %s de las %s fechas; después de ellas la cartera es caja.",
		"Nothing was selected on %s of the %s dates; the portfolio is cash after them."},
	"note.unclassified": {
		"En %s de las %s fechas ninguna serie tenía la familia o la categoría que la estrategia pide: nadie las " +
			"había informado todavía. Con known = \"revised\", classified_later = true usa las primeras que se " +
			"informaron.", "On %s of the %s dates no series had the family or the category that the strategy asks " +
			"for: nobody had stated them by then. With known = \"revised\", classified_later = true takes those that " +
			"were stated first."},
	"note.no_reference": {"%s = «%s» no tiene valor el %s, así que nada se compara con ella.",
		"%s = “%s” has no value on %s, so nothing is compared with it."},
	"notes_more": {"Hay %s avisos más. El archivo JSON tiene todos.",
		"There are %s more notes. The JSON file has all of them."},

	"figures":    {"Cifras principales", "Key figures"},
	"figure":     {"Cifra", "Figure"},
	"value":      {"Valor", "Value"},
	"definition": {"Cómo se calcula", "How it is computed"},
	"per_year":   {"por año", "per year"},
	"portfolio":  {"Estrategia", "Strategy"},
	"benchmark":  {"Referencia", "Benchmark"},
	"figures_note": {
		"Una raya (—) es una cifra que no se puede calcular con estos datos. § es la sección de docs/backtests.md.",
		"A dash (—) is a figure that can't be computed from these data. § is the section of docs/backtests.md."},
	"total_return": {"Retorno total", "Total return"},
	"total_return_how": {"Último valor de la curva dividido por el primero, menos 1 (§ 6).",
		"Last value of the curve divided by the first, less 1 (§ 6)."},
	"cagr": {"Retorno por año (CAGR)", "Return per year (CAGR)"},
	"cagr_how": {"(último / primero)^(365 / días) − 1; no hay con menos de 365 días (§ 6).",
		"(last / first)^(365 / days) − 1; none below 365 days (§ 6)."},
	"volatility": {"Volatilidad", "Volatility"},
	"volatility_how": {"Desviación estándar muestral de los retornos mensuales × √12 (§ 6).",
		"Sample standard deviation of monthly returns × √12 (§ 6)."},
	"sharpe": {"Sharpe", "Sharpe"},
	"sharpe_how": {
		"Media / desviación estándar de los retornos mensuales sobre la tasa libre de riesgo × √12; desde 12 meses " +
			"(§ 6).", "Mean / standard deviation of monthly returns above the risk-free rate × √12; from 12 months " +
			"on (§ 6)."},
	"sortino": {"Sortino", "Sortino"},
	"sortino_how": {"Como Sharpe, con solo los meses bajo la tasa libre de riesgo en el divisor (§ 6).",
		"As Sharpe, with only the months below the risk-free rate in the divisor (§ 6)."},
	"max_drawdown": {"Mayor caída", "Max drawdown"},
	"max_drawdown_how": {"Menor valor de curva / máximo anterior − 1 (§ 6).",
		"Least value of curve / highest value so far − 1 (§ 6)."},
	"drawdown_dates": {"Máximo el %s, mínimo el %s, recuperada el %s.",
		"Peak on %s, trough on %s, recovered on %s."},
	"drawdown_open": {"Máximo el %s, mínimo el %s, no recuperada.",
		"Peak on %s, trough on %s, not recovered."},
	"hit_rate": {"Meses ganados", "Hit rate"},
	"hit_rate_how": {"Parte de los meses sobre la referencia; sin referencia, sobre 0 (§ 6).",
		"Share of the months above the benchmark; without one, above 0 (§ 6)."},
	"best_month":      {"Mejor mes", "Best month"},
	"worst_month":     {"Peor mes", "Worst month"},
	"month_how":       {"De los meses completos (§ 6).", "Of the complete months (§ 6)."},
	"benchmark_total": {"Retorno total de la referencia", "Total return of the benchmark"},
	"benchmark_cagr":  {"Retorno por año de la referencia", "Return per year of the benchmark"},
	"benchmark_how": {"Desde la primera fecha de selección hasta el final (§ 6).",
		"From the first signal date to the end (§ 6)."},
	"tracking_error": {"Error de seguimiento", "Tracking error"},
	"tracking_error_how": {"Desviación estándar muestral de la diferencia mensual con la referencia × √12 (§ 6).",
		"Sample standard deviation of the monthly difference to the benchmark × √12 (§ 6)."},
	"up_capture": {"Captura al alza", "Up capture"},
	"up_capture_how": {"Retorno medio en los meses en que la referencia subió, dividido por el de ella (§ 6).",
		"Mean return of the months in which the benchmark rose, divided by that of the benchmark (§ 6)."},
	"down_capture": {"Captura a la baja", "Down capture"},
	"down_capture_how": {"Lo mismo con los meses en que la referencia bajó (§ 6).",
		"The same with the months in which the benchmark fell (§ 6)."},
	"turnover": {"Rotación", "Turnover"},
	"turnover_how": {
		"Compras después de la primera fecha, divididas por el valor medio de la curva y por los años (§ 6).",
		"Purchases after the first date, divided by the mean value of the curve and by the years (§ 6)."},
	"costs_paid": {"Costos pagados", "Costs paid"},
	"costs_paid_how": {"En unidades de la cartera, que parte con 100 (§ 5).",
		"In units of the portfolio, which begins with 100 (§ 5)."},
	"of_month": {"%s en %s", "%s in %s"},
	"costs":    {"Costos", "Costs"},
	"costs_lead": {
		"La estrategia paga %s del monto de cada compra y %s del de cada venta. El dinero de una venta llega %s " +
			"después. En total pagó %s, en una cartera que parte con 100.",
		"The strategy pays %s of the amount of each purchase and %s of that of each sale. The money of a sale " +
			"arrives %s later. In all it paid %s, of a portfolio that begins with 100."},
	"costs_in_quota": {"Las comisiones y los gastos de los fondos ya están en el valor cuota.",
		"The fees and expenses of the funds are in the quota value already."},
	"costs_difference": {"Sin estos costos y con rescate inmediato, el retorno total sería %s.",
		"Without these costs and with immediate redemption, the total return would be %s."},
	"costs_year":   {"Año", "Year"},
	"costs_trades": {"Operaciones", "Trades"},
	"costs_bought": {"Comprado", "Bought"},
	"costs_sold":   {"Vendido", "Sold"},
	"costs_cost":   {"Costo", "Cost"},
	"costs_table": {"Operaciones y costos por año, en unidades de la cartera",
		"Trades and costs of each year, in units of the portfolio"},
	"ledger": {"Libro de sesgos", "The bias ledger"},
	"ledger_what": {
		"¿Cuánto cambian el resultado el sesgo de supervivencia, las correcciones posteriores y los costos? La misma " +
			"estrategia se corre tres veces más, cada vez con un solo cambio (§ 7).",
		"How much do survivorship bias, later corrections and costs change the result? The same strategy is run " +
			"three more times, each with one change only (§ 7)."},
	"ledger_none": {"No hay libro de sesgos para este resultado.",
		"There is no bias ledger for this result."},
	"ledger_run":             {"Corrida", "Run"},
	"ledger_return":          {"Retorno total", "Total return"},
	"ledger_difference":      {"Diferencia", "Difference"},
	"ledger_rank":            {"Lugar", "Rank"},
	"ledger_rank_difference": {"Cambio de lugar", "Change of rank"},
	"ledger_says":            {"Qué muestra", "What it shows"},
	"ledger_of":              {"%s de %s", "%s of %s"},
	"ledger_note": {
		"Las diferencias son puntos porcentuales de retorno total. El lugar 1 es el mejor; un cambio de −2 es dos " +
			"lugares mejor.", "The differences are percentage points of total return. Rank 1 is the best; a change " +
			"of −2 is two ranks better."},
	"ledger_summary": {
		"Con solo las series que sobreviven, el retorno total sería %s; con los datos corregidos después, %s; sin " +
			"costos, %s.", "With survivors only, the total return would be %s; with data as corrected later, %s; " +
			"without costs, %s."},
	"ledger_more":    {"%s puntos mayor", "%s points higher"},
	"ledger_less":    {"%s puntos menor", "%s points lower"},
	"ledger_same":    {"igual", "the same"},
	"ledger_almost":  {"casi igual", "almost the same"},
	"ledger_unknown": {"desconocido", "unknown"},

	"run.as_stated":      {"La estrategia", "The strategy"},
	"run.survivors_only": {"Solo sobrevivientes", "Survivors only"},
	"run.revised_data":   {"Datos corregidos", "Revised data"},
	"run.without_costs":  {"Sin costos", "Without costs"},

	"as_stated_says": {"La corrida de este informe.", "The run of this report."},
	"survivors_only_more": {
		"Dejar fuera las series que cerraron después haría ver el resultado mejor de lo que fue.",
		"Leaving out series that closed later would make the result look better than it was."},
	"survivors_only_less": {
		"Dejar fuera las series que cerraron después haría ver el resultado peor de lo que fue.",
		"Leaving out series that closed later would make the result look worse than it was."},
	"survivors_only_same": {"Dejar fuera las series que cerraron después no cambia el resultado.",
		"Leaving out series that closed later does not change the result."},
	"survivors_only_already": {
		"La estrategia ya elige solo entre las series vivas al corte. Su resultado tiene este sesgo.",
		"The strategy already selects only from series alive at the cutoff. Its result has this bias."},
	"revised_data_more": {"Conocer las correcciones posteriores haría ver el resultado mejor de lo que fue.",
		"Knowing later corrections would make the result look better than it was."},
	"revised_data_less": {"Conocer las correcciones posteriores haría ver el resultado peor de lo que fue.",
		"Knowing later corrections would make the result look worse than it was."},
	"revised_data_same": {"Conocer las correcciones posteriores no cambia el resultado.",
		"Knowing later corrections does not change the result."},
	"revised_data_already": {"La estrategia ya usa los datos corregidos. Su resultado tiene este sesgo.",
		"The strategy already uses revised data. Its result has this bias."},
	"without_costs_more": {
		"Los costos declarados y la espera de los rescates bajan el resultado en esta diferencia.",
		"The stated costs and the wait for redemptions lower the result by this difference."},
	"without_costs_less": {
		"Los costos declarados no bajaron el resultado: comprar más tarde, por la espera de los rescates, dio más de " +
			"lo que costó.", "The stated costs did not lower the result: buying later, because of the wait for " +
			"redemptions, gave more than they cost."},
	"without_costs_same": {"Los costos declarados y la espera de los rescates no cambian el resultado.",
		"The stated costs and the wait for redemptions do not change the result."},
	"without_costs_already": {"La estrategia no tiene costos ni espera de rescates. Su resultado tiene este sesgo.",
		"The strategy has neither costs nor a wait for redemptions. Its result has this bias."},
	"ledger_says_tiny": {"Cambia el resultado en menos de 0,01 puntos.",
		"It changes the result by less than 0.01 points."},
	"ledger_says_unknown": {"No se puede calcular.", "It can't be computed."},
	"ledger_says_unknown_run": {"Este informe no tiene un texto para esta corrida.",
		"This report has no text for this run."},

	"curve": {"Curva de valor", "Equity curve"},
	"curve_what": {"Valor de la cartera al final de cada día, con su caja (§ 6).",
		"Value of the portfolio at the end of each day, with its cash (§ 6)."},
	"curve_unit": {"unidades de la cartera; 100 es la primera fecha de selección",
		"units of the portfolio; 100 is the first signal date"},
	"curve_none":        {"No hay curva.", "There is no curve."},
	"curve_description": {"Líneas desde el %s hasta el %s. La estrategia va de %s a %s; su mínimo es %s y su máximo %s.", "Lines from %s to %s. The strategy goes from %s to %s; its lowest value is %s and its highest %s."},
	"log": {"escala logarítmica, porque el máximo es más de tres veces el mínimo",
		"logarithmic scale, because the highest value is more than three times the lowest"},
	"thinned": {"La curva tiene %s días. El dibujo muestra como máximo 1.000 puntos: de cada tramo, el más " +
		"alto y el más bajo. Los archivos de datos tienen todos los días.",
		"The curve has %s days. The picture shows at most 1,000 points: of each span the highest and the lowest. The " +
			"data files have every day."},
	"table_month_ends": {"Tabla: último día de cada mes", "Table: last day of each month"},
	"table_shortened": {"La tabla muestra los %s meses más recientes de %s.",
		"The table shows the newest %s of %s months."},
	"date": {"Fecha", "Date"},
	"cash": {"Caja", "Cash"},

	"drawdown": {"Caída desde el máximo", "Drawdown"},
	"drawdown_what": {"Cuánto está la cartera bajo su máximo anterior, cada día (§ 6).",
		"How far the portfolio is below its highest value so far, each day (§ 6)."},
	"drawdown_unit": {"% bajo el máximo anterior", "% below the highest value so far"},
	"drawdown_description": {"Área desde el %s hasta el %s. La mayor caída es %s, el %s.",
		"Area from %s to %s. The deepest fall is %s, on %s."},
	"drawdown_says": {"La mayor caída fue %s. %s", "The deepest fall was %s. %s"},
	"drawdown_flat": {"La cartera nunca estuvo bajo su máximo.",
		"The portfolio was never below its highest value."},

	"months": {"Retornos mensuales", "Monthly returns"},
	"months_what": {"Retorno de cada mes y del año, en % (§ 6).",
		"Return of each month and of the year, in % (§ 6)."},
	"months_none": {"No hay meses.", "There are no months."},
	"months_part": {"* mes incompleto: no cuenta en las estadísticas.",
		"* incomplete month: it does not count in statistics."},
	"months_year": {"El año es el retorno compuesto de sus meses, también de los incompletos.",
		"The year is the compounded return of its months, incomplete ones included."},
	"months_legend": {"Azul es ganancia, naranjo es pérdida; más intenso desde %s y desde %s.",
		"Blue is a gain, orange is a loss; stronger from %s and from %s on."},
	"year":    {"Año", "Year"},
	"rolling": {"Retornos de 12 y 36 meses", "Returns of 12 and 36 months"},
	"rolling_what": {"Retorno compuesto de 12 y de 36 meses completos seguidos, en la fecha en que terminan. El " +
		"de 36 meses no es anual (§ 6).",
		"Compounded return of 12 and of 36 complete months in a row, at the date on which they end. That of 36 " +
			"months is not per year (§ 6)."},
	"rolling_of": {"%s meses", "%s months"},
	"rolling_none": {"Faltan meses completos: hay %s y se necesitan %s.",
		"There are too few complete months: %s of %s."},
	"rolling_unit": {"%% en los %s meses", "%% over the %s months"},
	"rolling_describes": {"Líneas desde el %s hasta el %s. El menor retorno de la estrategia es %s y el mayor %s.",
		"Lines from %s to %s. The lowest return of the strategy is %s and the highest %s."},
	"table_months": {"Tabla: cada mes", "Table: each month"},

	"strategy":       {"La estrategia", "The strategy"},
	"strategy_words": {"En palabras", "In words"},
	"strategy_file":  {"Como archivo TOML", "As a TOML file"},
	"strategy_repeat": {"Guarde este texto como estrategia.toml y repita la prueba con cuota backtest strategy " +
		"--file estrategia.toml. Con el mismo lote y el mismo método, el resultado es igual byte por byte.",
		"Save this text as strategy.toml and repeat the test with cuota backtest strategy --file strategy.toml. With " +
			"the same batch and the same method, the result is equal byte for byte."},
	"word_when": {"Cuándo", "When"},
	"when.monthly": {"Selecciona el último día de cada mes, del %s al %s.",
		"It selects on the last day of each month, from %s to %s."},
	"when.quarterly": {"Selecciona el último día de cada trimestre, del %s al %s.",
		"It selects on the last day of each quarter, from %s to %s."},
	"when.dates": {"Selecciona en fechas dadas, del %s al %s.", "It selects on given dates, from %s to %s."},
	"lags": {"La compra espera %s y la venta %s desde la selección. El dinero de una venta llega %s " +
		"después.", "A purchase waits %s and a sale %s after the selection. The money of a sale arrives %s later."},
	"day_one":    {"1 día", "1 day"},
	"day_many":   {"%s días", "%s days"},
	"word_known": {"Qué sabe", "What it knows"},
	"known.then": {"Solo lo que estaba publicado hasta el día de la orden.",
		"Only what had been published by the order day."},
	"known.revised": {"Los datos con sus correcciones posteriores.", "The data with their later corrections."},
	"classified_later": {"Antes de su primera clasificación, una serie tiene la familia y la categoría de ella.",
		"Before its first classification, a series has the family and the category of it."},
	"word_universe": {"Universo", "Universe"},
	"universe.then": {"Todas las series de fondos mutuos con cuota en la fecha, también las que cerraron después.",
		"All series of mutual funds with a quote on the date, those that closed later included."},
	"universe.current": {"Solo las series vivas al corte del lote.",
		"Only the series alive at the cutoff of the batch."},
	"currency.PESOS": {"La cartera está en pesos.", "The portfolio is in pesos."},
	"currency.DOLAR": {"La cartera está en dólares.", "The portfolio is in dollars."},
	"convert": {"Las series en otra moneda se convierten con el dólar oficial.",
		"Series in another currency are converted at the official dollar."},
	"no_convert": {"Las series en otra moneda quedan fuera.", "Series in another currency are left out."},
	"min_age": {"Cada serie tiene al menos %s desde su primera cuota.",
		"Each series has at least %s since its first quote."},
	"word_filters":   {"Filtros", "Filters"},
	"no_filters":     {"Ninguno.", "None."},
	"word_selection": {"Selección", "Selection"},
	"sorted.desc":    {"Ordena por %s, de mayor a menor.", "It sorts by %s, highest first."},
	"sorted.asc":     {"Ordena por %s, de menor a mayor.", "It sorts by %s, lowest first."},
	"take_top":       {"Toma como máximo %s.", "It takes at most %s."},
	"take_quantile":  {"Toma el primer %s.", "It takes the first %s."},
	"series_one":     {"1 serie", "1 series"},
	"series_many":    {"%s series", "%s series"},
	"within.family":  {"Lo hace dentro de cada familia.", "It does so within each family."},
	"within.manager": {"Lo hace dentro de cada administradora.", "It does so within each manager."},
	"one_per_fund":   {"Una serie por fondo.", "One series for each fund."},
	"many_per_fund":  {"Puede tomar varias series de un fondo.", "It may take several series of a fund."},
	"word_weights":   {"Pesos", "Weights"},
	"weights.equal":  {"Iguales.", "Equal."},
	"weights.equity": {"Proporcionales al patrimonio.", "Proportional to equity."},
	"weights.inverse_volatility": {
		"Inversos a la volatilidad de 12 meses.", "Inverse to the volatility of 12 months."},
	"word_holding": {"Cierres y canjes", "Closures and exchanges"},
	"holding_exit": {"Una serie que cierra se paga con su última cuota.",
		"A series that closes is paid out at its last quote."},
	"holding_follow": {"Si las cuotas de una serie se canjean, la cartera sigue en la serie de destino.",
		"If the quotas of a series are exchanged, the portfolio follows into the destination."},
	"holding_not":         {"Los canjes no se siguen.", "Exchanges are not followed."},
	"word_benchmark":      {"Referencia", "Benchmark"},
	"word_risk_free":      {"Tasa libre de riesgo", "Risk-free rate"},
	"none":                {"Ninguna.", "None."},
	"zero":                {"0.", "0."},
	"index_family":        {"índice de la familia %s en %s", "index of the family %s in %s"},
	"index_uf":            {"UF", "UF"},
	"index_rate":          {"tasa fija de %s por año", "fixed rate of %s per year"},
	"currency_name.PESOS": {"pesos", "pesos"},
	"currency_name.DOLAR": {"dólares", "dollars"},

	"sort.1m":                {"el retorno de 1 mes", "the return of 1 month"},
	"sort.3m":                {"el retorno de 3 meses", "the return of 3 months"},
	"sort.6m":                {"el retorno de 6 meses", "the return of 6 months"},
	"sort.1y":                {"el retorno de 1 año", "the return of 1 year"},
	"sort.ytd":               {"el retorno del año en curso", "the return of the year to date"},
	"sort.3y_ann":            {"el retorno anual de 3 años", "the yearly return of 3 years"},
	"sort.5y_ann":            {"el retorno anual de 5 años", "the yearly return of 5 years"},
	"sort.last_closed_month": {"el retorno del último mes cerrado", "the return of the last closed month"},
	"sort.tac":               {"la TAC", "the TAC"},
	"sort.cmf_spheres":       {"las esferas CMF", "the spheres of the CMF"},
	"sort.volatility_12m":    {"la volatilidad de 12 meses", "the volatility of 12 months"},
	"sort.volatility_36m":    {"la volatilidad de 36 meses", "the volatility of 36 months"},
	"sort.max_drawdown_36m":  {"la mayor caída de 36 meses", "the max drawdown of 36 months"},
	"sort.equity_clp":        {"el patrimonio en pesos", "the equity in pesos"},
	"sort.id":                {"el id de la serie", "the id of the series"},

	"filter.q":               {"texto: %s", "text: %s"},
	"filter.fund_family":     {"familia: %s", "family: %s"},
	"filter.investor_class":  {"clase de inversionista: %s", "investor class: %s"},
	"filter.currency":        {"moneda: %s", "currency: %s"},
	"filter.category":        {"categoría: %s", "category: %s"},
	"filter.administrator":   {"administradora: %s", "manager: %s"},
	"filter.cmf_spheres_min": {"esferas CMF: al menos %s", "spheres of the CMF: at least %s"},
	"filter.cmf_spheres_max": {"esferas CMF: como máximo %s", "spheres of the CMF: at most %s"},
	"filter.cmf_family":      {"familia de la clasificación CMF: %s", "family of the CMF rating: %s"},
	"filter.cmf_investor_type": {"inversionista de la clasificación CMF: %s",
		"investor class of the CMF rating: %s"},
	"filter.tac_kind":           {"tipo de TAC: %s", "kind of TAC: %s"},
	"filter.tac_max":            {"TAC: como máximo %s", "TAC: at most %s"},
	"filter.equity_clp_min":     {"patrimonio: al menos %s pesos", "equity: at least %s pesos"},
	"filter.volatility_12m_max": {"volatilidad de 12 meses: como máximo %s", "volatility of 12 months: at most %s"},
	"filter.max_drawdown_36m_min": {"mayor caída de 36 meses: no peor que %s",
		"max drawdown of 36 months: no worse than %s"},

	"holdings": {"Cartera y operaciones por fecha", "Holdings and trades of each date"},
	"holdings_what": {"La fecha más reciente está primero. Los montos son unidades de la cartera, antes de costos; " +
		"la cuota está en la moneda de la serie (§§ 3 a 5).",
		"The newest date is first. Amounts are units of the portfolio, before costs; the quota is in the currency of " +
			"the series (§§ 3 to 5)."},
	"holdings_none": {"No hay fechas de selección con datos.", "There are no signal dates with data."},
	"holdings_bound": {"El informe muestra %s filas de series y operaciones, desde la fecha más reciente; faltan %s. " +
		"Los archivos de datos tienen todas.",
		"The report shows %s rows of series and trades, from the newest date on; %s are missing. The data files have " +
			"all of them."},
	"dates_bound": {"El informe muestra las %s fechas más recientes de %s.",
		"The report shows the newest %s of %s dates."},
	"date_summary": {"%s de %s series, %s, costo %s", "%s of %s series, %s, cost %s"},
	"trade_one":    {"1 operación", "1 trade"},
	"trade_many":   {"%s operaciones", "%s trades"},
	"date_days": {"Responde el %s. Orden de venta el %s, compra el %s.",
		"Answered by %s. Order day of sales %s, purchase day %s."},
	"date_none":      {"Ninguna serie fue seleccionada.", "No series was selected."},
	"date_no_trades": {"Sin operaciones.", "No trades."},
	"date_excluded":  {"Quedaron fuera: %s.", "Left out: %s."},
	"date_rows":      {"Faltan %s filas en este informe.", "%s rows are missing in this report."},
	"selected":       {"Seleccionadas", "Selected"},
	"trades":         {"Operaciones", "Trades"},
	"series":         {"Serie", "Series"},
	"sorted_value":   {"Valor", "Value"},
	"sorted_by":      {"Valor: %s.", "Value: %s."},
	"weight":         {"Peso", "Weight"},
	"trade_kind":     {"Operación", "Trade"},
	"reason":         {"Motivo", "Reason"},
	"quota":          {"Cuota", "Quota"},
	"amount":         {"Monto", "Amount"},
	"cost":           {"Costo", "Cost"},
	"serie_of":       {"serie %s", "series %s"},
	"series_id":      {"serie con id %s", "series with id %s"},
	"trade_into":     {"por %s", "for %s"},
	"trade.buy":      {"compra", "buy"},
	"trade.sell":     {"venta", "sell"},
	"trade.exit":     {"salida", "exit"},
	"trade.exchange": {"canje", "exchange"},
	"trade.no_quote": {"no realizada", "not done"},
	"why.selected":   {"seleccionada", "selected"},
	"why.above_goal": {"sobre su meta", "above its goal"},
	"why.closed":     {"la serie cerró", "the series closed"},
	"why.break":      {"quiebre en la serie", "break in the series"},
	"why.exchanged":  {"cuotas canjeadas", "quotas exchanged"},
	"why.no_quote":   {"sin cuota", "no quote"},
	"why.not_selected": {
		"ya no seleccionada", "no longer selected"},

	"excluded": {"Series excluidas", "Exclusions"},
	"excluded_what": {"Cada serie del universo que no se selecciona tiene un motivo: el primero que se cumple (§ 3).",
		"Each series of the universe that is not selected has one reason: the first one that applies (§ 3)."},
	"excluded_none":  {"Ninguna serie fue excluida.", "No series was excluded."},
	"excluded_total": {"Todas las fechas", "All dates"},
	"excluded_last":  {"Última fecha", "Last date"},
	"excluded_share": {"Parte", "Share"},
	"excluded_bound": {"Hay %s motivos más. Los archivos de datos tienen todos.",
		"There are %s more reasons. The data files have all of them."},
	"all": {"Total", "Total"},

	"left.not_known_then": {"su cuota aún no se conocía", "its quote was not known yet"},
	"left.other_currency": {"otra moneda", "other currency"},
	"left.too_young":      {"demasiado nueva", "too young"},
	"left.no_value":       {"sin el valor que ordena", "without the value that sorts"},
	"left.no_family":      {"sin familia", "without a family"},
	"left.no_weight":      {"sin peso", "without a weight"},
	"left.same_fund":      {"el fondo ya tiene una serie", "the fund has a series already"},
	"left.not_in_top":     {"no está entre las primeras", "not among the first"},
	"left_filter":         {"filtro: %s (%s)", "filter: %s (%s)"},

	"source":             {"De dónde vienen los datos", "Where the data come from"},
	"source_batch":       {"Lote", "Batch"},
	"source_cutoff":      {"Corte: último día completo", "Cutoff: latest complete day"},
	"source_published":   {"Publicación del lote", "Publication of the batch"},
	"source_fingerprint": {"Huella de los datos", "Fingerprint of the data"},
	"source_result":      {"Huella del resultado", "Fingerprint of the result"},
	"source_method":      {"Método", "Method"},
	"source_candidates":  {"Series candidatas en todas las fechas", "Candidates on all dates"},
	"source_later": {"con valores que la estrategia lee, de una historia cargada después",
		"with values that the strategy reads, from a history that was loaded later"},
	"source_corrected": {"con valores que la estrategia lee y que se corrigieron después",
		"with values that the strategy reads and that were corrected later"},
	"source_not_known": {"fuera porque su cuota aún no se conocía", "left out because their quote was not known yet"},
	"source_what": {"Nadie sabe cuándo se vio por primera vez una historia cargada después; sus valores " +
		"cuentan desde su propia fecha (§ 2).",
		"Nobody knows when a history that was loaded later was seen first; its values count from their own date on " +
			"(§ 2)."},

	"rules": {"Reglas", "Rules"},
	"rules_dates": {"Una selección no se transa con las cuotas de las que salió: cada orden espera, salvo que " +
		"la estrategia diga 0 días (§ 1).",
		"A selection is not traded at the quotes that it was made from: each order waits, unless the strategy says 0 " +
			"days (§ 1)."},
	"rules_known": {"Con known = \"then\", una fecha usa solo lo publicado hasta el primero de los días de " +
		"orden, de venta o de compra (§ 2).",
		"With known = \"then\", a date uses only what had been published by the earlier order day, of sales or of " +
			"purchases (§ 2)."},
	"rules_value": {"Una posición vale su número de cuotas por la última cuota; los repartos se reinvierten. " +
		"La caja no gana nada (§ 4).",
		"A position is worth its number of quotas times the newest quote; distributions are reinvested. Cash earns " +
			"nothing (§ 4)."},
	"rules_rebalancing": {"Primero se vende lo que sobra, después se compra lo que falta con toda la caja (§ 5).",
		"What is above its goal is sold first; then all cash buys what is below (§ 5)."},
	"rules_rank": {"El lugar compara el retorno total con el de cada serie de la primera fecha, mantenida " +
		"hasta el final (§ 7).", "The rank compares the total return with that of each series of the first date, " +
		"held until the end (§ 7)."},
	"rules_advice": {"Los retornos pasados no anticipan los futuros. Este informe no es una recomendación.",
		"Past returns do not tell future ones. This report is no advice."},
	"made_by": {"Hecho por cuota. Todas las reglas están en docs/backtests.md.",
		"Made by cuota. All rules are in docs/backtests.md."},
}
