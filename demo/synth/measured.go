package synth

// Properties that the synthetic market shares with the real one. They were measured on the
// files that cuota ships, with the market of 2025-07-20. To measure them again, run "cuota up"
// on an empty data directory and send the queries to its ClickHouse, as in
//
//	curl 'http://127.0.0.1:8123/' --data-binary "SELECT …"

// family is a peer group of funds.
//
// The words are the sources': familia_rar, familia_visualizador,
// familia_estudios, and the association's category that most of its series
// have. Measured with
//
//	SELECT family_rar, family_display, family_studies, uniq(fund_id) AS funds,
//	       countIf(currency = 'DOLAR') / count() AS dollars, 100 * median(tac) AS tac,
//	       avg(log(clp)) AS size, stddevPop(log(clp)) AS spread
//	FROM (SELECT *, nullIf(toFloat64(equity), 0) * if(currency = 'DOLAR', 950, 1) AS clp FROM current_screener)
//	GROUP BY ALL ORDER BY funds DESC
//
// and, for the kind of the register and the sheet's category,
//
//	SELECT family_rar, topK(1)(fund.kind), topK(1)(sheet.category)
//	FROM current_screener AS s
//	INNER JOIN current_fund AS fund USING (fund_id)
//	INNER JOIN batch_aafm_daily(batch = 1) AS sheet ON sheet.serie = s.serie AND cuota_rol(sheet.run) = s.run
//	GROUP BY ALL
//
// and, for the return of a year, the median over three years to 2025-09-30 (the
// dollar was worth the same at both ends, so that it is out of the figure)
//
//	SELECT family_rar, family_display, median(nominal_3y)
//	FROM official_return_as_of(batch = 1, as_of = '2025-09-30') GROUP BY ALL
//
// The last three columns are not measured, because no shipped file has a year of all families.
// The mover and the volatility are estimates. The share in dollars follows from the names of
// the families.
type family struct {
	rar, display, studies, sheet string
	kind                         byte    // Tipo de Fondo Mutuo
	funds                        int     // number of funds in the real market
	dollars                      float64 // share of the series that are in dollars
	tac                          float64 // median, percent a year
	size, spread                 float64 // mean and deviation of the log of a series' equity in pesos
	year                         float64 // yearly return after costs, percent

	mover      mover   // the common cause of its daily returns
	volatility float64 // percent a year, without that of the dollar
	abroad     float64 // share of the assets that are in dollars
}

// mover is the common cause of the daily returns of several families.
type mover int

const (
	rates  mover = iota // debt: accrues on every calendar day
	world               // foreign shares
	santos              // Santiago's shares
	movers
)

var families = []family{
	{"Balanceado conservador", "Balanceado conservador", "Balanceado conservador", "Balanceado Conservador", 6, 41, .08,
		1.54, 21.95, 2.52, 8.4, rates, 3, .1},
	{"Balanceado moderado", "Balanceado moderado", "Balanceado moderado", "Balanceado Moderado", 6, 37, .09, 1.88,
		22.21, 2.30, 11.4, world, 7, .3},
	{"Balanceado agresivo", "Balanceado agresivo", "Balanceado agresivo", "Balanceado Agresivo", 6, 32, .06, 2.07,
		21.63, 2.39, 14.5, world, 11, .5},
	{"Deuda < 90 dias nacional", "Deuda < 90 dias en pesos", "Deuda < 90 dias", "Fondos de Deuda < 90 Dias Nacional", 1,
		37, 0, .76, 23.25, 2.86, 7.4, rates, .05, 0},
	{"Accionario nacional", "Accionario nacional", "Accionario nacional", "Accionario Nacional Large CAP", 5, 28, 0,
		1.93, 21.44, 2.61, 21.1, santos, 17, 0},
	{"Deuda < 365 dias nacional en pesos", "Deuda < 365 dias", "Deuda < 365 dias",
		"Fondos de Deuda < 365 Dias Nacional en pesos", 2, 22, 0, .90, 23.05, 2.49, 7.7, rates, .4, 0},
	{"Accionario desarrollado", "Accionario internacional", "Accionario internacional", "Accionario Desarrollado", 5,
		21, .21, 2.49, 21.32, 1.91, 17.4, world, 14, 1},
	{"Otros", "Otros", "Otros", "S/C Fondos creados recientemente que aún no han sido clasificados", 6, 19, .30, 1.50,
		20.08, 3.13, 8.7, world, 9, .4},
	{"Deuda > 365 dias nacional inversion en uf < 3 anos", "Deuda > 365 dias", "Deuda > 365 dias",
		"Fondos de Deuda > 365 Dias Nacional, Inversión en UF < 3 años", 3, 17, 0, 1.18, 22.87, 3.04, 8.5, rates, 1.8,
		0},
	{"Accionario eeuu", "Accionario internacional", "Accionario internacional", "Accionario EEUU", 5, 17, .28, 2.45,
		22.63, 2.10, 20.9, world, 16, 1},
	{"Deuda > 365 dias nacional inversion uf > 3 anos y =<5", "Deuda > 365 dias", "Deuda > 365 dias",
		"Fondos de Deuda > 365 Dias Nacional, Inversion UF > 3 años y =<5", 3, 16, 0, 1.09, 22.23, 3.63, 8.6, rates,
		3.5, 0},
	{"Deuda < 90 dias internacional dolar", "Deuda < 90 dias en dolar", "Deuda < 90 dias",
		"Fondos de Deuda < 90 Dias Internacional, Dolar", 1, 15, 1, .62, 22.99, 3.08, 4.6, rates, .05, 1},
	{"Deuda > 365 dias orig. flex", "Deuda > 365 dias", "Deuda > 365 dias", "Fondos de Deuda > 365 Dias Orig. Flex", 6,
		15, 0, 1.02, 23.19, 1.92, 8.4, rates, 2.5, 0},
	{"Otros", "Estructurados", "Otros", "Estructurado No Accionario", 6, 14, .07, .90, 20.82, 2.78, 5.2, rates, 1.5, 0},
	{"Deuda > 365 dias internacional mercados emergentes dolar", "Deuda > 365 dias", "Deuda > 365 dias",
		"Fondos de Deuda > 365 Dias Internacional, Mercados Emergentes", 6, 13, 1, 1.47, 21.55, 1.57, 8.1, rates, 5, 1},
	{"Deuda > 365 dias nacional inversion en pesos", "Deuda > 365 dias", "Deuda > 365 dias",
		"Fondos de Deuda > 365 Dias Nacional, Inversión en Pesos", 3, 13, 0, 1.21, 21.79, 2.83, 7.6, rates, 2.5, 0},
	{"Accionario america latina", "Accionario internacional", "Accionario internacional", "Accionario America Latina",
		5, 12, .32, 2.69, 19.89, 2.85, 10.1, world, 22, 1},
	{"Deuda < 365 dias nacional en uf", "Deuda < 365 dias", "Deuda < 365 dias",
		"Fondos de Deuda < 365 Dias Nacional en UF", 2, 10, 0, 1.03, 23.88, 2.07, 8.1, rates, .8, 0},
	{"Accionario emergente", "Accionario internacional", "Accionario internacional", "Accionario Emergente", 6, 10, .18,
		2.88, 20.35, 1.71, 13.0, world, 17, 1},
	{"Deuda > 365 dias nacional inversion en uf > 5 anos", "Deuda > 365 dias", "Deuda > 365 dias",
		"Fondos de Deuda > 365 Dias Nacional, Inversion en UF > 5 años", 3, 10, 0, 1.11, 21.18, 2.15, 8.3, rates, 6, 0},
	{"Deuda > 365 dias internacional mercados internacionales dolar", "Deuda > 365 dias", "Deuda > 365 dias",
		"Fondos de Deuda > 365 Dias Internacional, Mercados Internacionales", 6, 10, 1, 1.65, 21.47, 1.68, 7.0, rates,
		4.5, 1},
	{"Accionario europa desarrollado", "Accionario internacional", "Accionario internacional",
		"Accionario Europa Desarrollado", 5, 9, .21, 2.77, 20.78, 2.38, 19.9, world, 16, 1},
	{"Accionario asia emergente", "Accionario internacional", "Accionario internacional", "Accionario Asia Emergente",
		5, 7, .31, 3.14, 20.60, 3.35, 13.0, world, 18, 1},
	{"Deuda > 365 dias internacional mercados internacionales", "Deuda > 365 dias", "Deuda > 365 dias",
		"Fondos de Deuda > 365 Dias Internacional, Mercados Internacionales", 6, 7, 0, 1.55, 20.21, 2.78, 5.4, rates,
		4.5, 1},
	{"Deuda < 365 dias internacional", "Deuda < 365 dias", "Deuda < 365 dias",
		"Fondos de Deuda < 365 Dias Internacional", 6, 4, 1, .92, 23.78, 1.52, 5.2, rates, .7, 1},
	{"Deuda > 365 dias internacional mercados emergentes", "Deuda > 365 dias", "Deuda > 365 dias",
		"Fondos de Deuda > 365 Dias Internacional, Mercados Emergentes", 6, 3, 0, 1.73, 21.68, 1.52, 12.0, rates, 5, 1},
}

// class is an investor class of the comparators. Series without a class are in neither
// comparator, for example those for other funds and for employees. Their costs are estimates.
//
//	SELECT class_dated, count(), avg(spheres IS NOT NULL), countIf(equity = 0),
//	       median(tac / family) AS cost, stddevPop(log(tac / family)) AS spread, quantile(.9)(tac / family) / cost AS most
//	FROM (SELECT *, median(tac) OVER (PARTITION BY family_rar) AS family FROM current_screener)
//	GROUP BY class_dated
//
//	SELECT serie, count(), any(class_dated) FROM current_screener GROUP BY serie ORDER BY count() DESC
type class struct {
	word   string
	series int     // number of series in the real market
	rated  float64 // share of its series with a sphere
	cost   float64 // multiple of the family's median TAC
	spread float64 // deviation of the log of that multiple
	most   float64 // greatest multiple of cost that is drawn; the real market has few above it
	names  []string
}

var classes = []class{
	{"Retail", 799, .67, 1.40, .39, 1.39, []string{
		"A", "G", "D", "L", "CLASICA", "DIGITAL", "WEB", "GLB", "INVER", "INV", "UNIVE", "LIQUIDEZ", "W", "F1", "FAMIL",
		"CLASICO"}},
	{"Alto Patrimonio", 629, .30, .87, .52, 1.59, []string{
		"I", "F", "K", "C", "EJECU", "BPRIV", "E", "PAT", "ALTO", "ALPAT", "INSTITUCIO", "WEALTH", "ALTOPATRIM", "F4",
		"F5", "V"}},
	{"APV", 577, .53, .82, .51, 1.51, []string{
		"APV", "B", "H", "CLASI", "APV-AP-APVC", "I-APV", "BPLUS", "B-APV/APVC", "W-APV", "LARGOPLAZO", "APV-FREE",
		"APVDIG", "107A", "APVC", "E-APV", "D-APV"}},
	{"", 835, 0, .30, .60, 3, []string{
		"S", "IT", "P", "BCI", "ADC", "BCH", "M", "AM", "CUI", "COLAB", "Z", "J", "LV", "III", "O", "COL-Z APV/APVC"}},
}

// seriesOfFund has the numbers of funds with one series, with two, and so on.
//
//	SELECT series, count() FROM (SELECT count() AS series FROM current_screener GROUP BY fund_id) GROUP BY series ORDER BY series
var seriesOfFund = []int{21, 30, 32, 26, 55, 53, 69, 64, 58, 14, 20, 4, 1, 2}

// fundsOfManager has the number of funds of each manager.
//
//	SELECT uniq(fund_id) AS funds FROM current_screener GROUP BY manager_id ORDER BY funds DESC
var fundsOfManager = []int{48, 44, 40, 39, 34, 32, 31, 27, 25, 24, 23, 22, 16, 15, 7, 6, 5, 4, 3, 2, 1, 1}

// spheres has the numbers of rated series with sphere 1 to 5.
//
//	SELECT spheres, count() FROM current_screener WHERE spheres > 0 GROUP BY spheres ORDER BY spheres
var spheres = []int{113, 213, 424, 199, 81}

// registerCopies has the numbers of funds whose line is in the register once, twice, and so
// on.
//
//	awk -F';' 'NR>1 {n[$3]++} END {for (r in n) c[n[r]]++; for (k in c) print k, c[k]}' demo/files/register/fm_ident_20250721.txt
var registerCopies = []int{20, 580, 731}

const (
	// Of the 1,331 funds of the register 477 are open (awk -F';' 'NR>1 && $10==""').
	closedPerOpen = 1331./477 - 1
	// Of 955 investment funds 152 are redeemable; there are 2,840 series of mutual funds.
	//	cut -d, -f4 demo/files/fi/fondos_inversion.csv | sort | uniq -c
	investmentFundsPerSeries = 955. / 2840
	redeemable               = 152. / 955
	// Of 2,840 series 254 have no equity: SELECT countIf(equity = 0) FROM current_screener
	emptySeries = 254. / 2840

	// dolarVolatility is the standard deviation of the log change of a business day since 2020.
	//	SELECT stddevPop(d) FROM (SELECT log(value) - lagInFrame(log(value), 1, log(value)) OVER (ORDER BY date) AS d
	//	FROM batch_indicator(batch = 1) WHERE code = 'dolar' AND date >= '2020-01-01')
	dolarVolatility = .00827

	// Holders rise with equity E in pesos as 10^(0.6 log10 E - 3.5): medians of
	// 6, 21, 90, 278 and 1,190 from ten million to a hundred thousand millions.
	//	SELECT intDiv(toUInt32(log10(equity)), 1) AS e, median(shareholders) FROM current_screener WHERE equity > 0 AND currency = 'PESOS' GROUP BY e
	holderPower, holderOffset = .6, -3.5

	// Flows of RUN 9809 and 9810 on working days: the share of days with any, and
	// the median of its log10 against the units. There are none at weekends.
	//	SELECT avg(units_contributed > 0), median(if(units_contributed > 0, log10(units_contributed / units_outstanding), NULL)), …
	//	FROM fact_quota WHERE run IN (9809, 9810) AND toDayOfWeek(date) < 6 AND equity > 0
	contributing, contribution = .577, -2.79
	redeeming, redemption      = .375, -2.88

	// The rest is of about 4,500 rows of four whole-market months of 2025 and 2026, by eye: the
	// shares of the funds with an amount in other funds and with the number 1 in its place, and of
	// the funds of shares that pay on the next business day; of the days on which a fund that has
	// days without fee has one, of the working days with a lump of expenses, of the redemptions with a
	// commission, and of the days on which a purchase is not paid yet. tideFlow is the median of the
	// log10 of the daily flows of a money market series of companies against its units.
	investing, flagging          = .54, .01
	promptShares                 = .75
	waiving, lumpy, commissioned = .15, .02, .02
	bought                       = .002
	tideFlow                     = -.8
)
