// Package glossary says in one sentence what the words mean that stand over the columns, beside the figures and above
// the tables of pages. docs/glossary.md has the same meanings in English, beside the columns and fields of the database
// and the API.
package glossary

import (
	"strings"

	"cuota/internal/site/locale"
)

// Term is a word of the market and what it means.
type Term struct {
	Word    string // first in its row of docs/glossary.md
	Meaning locale.Phrase
	titles  []locale.Phrase // of columns, figures and tables, or below a figure
}

// Terms are the words that pages explain.
var Terms = []Term{
	{"valor cuota", locale.Phrase{"Lo que vale una cuota del fondo en un día.", "What one unit of a fund is worth on a day."},
		[]locale.Phrase{{"Valor cuota", "Unit price"}, {"Último valor cuota", "Last unit price"}}},
	{"patrimonio neto", locale.Phrase{"Lo que pertenece a los inversionistas de una serie.",
		"What belongs to the investors of a series."},
		[]locale.Phrase{{"Patrimonio", "Equity"}, {"Último patrimonio", "Last equity"}}},
	{"partícipe", locale.Phrase{"Inversionista de una serie. Quien tiene dos series cuenta dos veces en una suma.",
		"An investor of a series. Sums over series are not unique people."},
		[]locale.Phrase{{"Partícipes", "Shareholders"}}},
	{"aportante", locale.Phrase{"Inversionista de un fondo de inversión.", "An investor of an investment fund."},
		[]locale.Phrase{{"Aportantes", "Contributors"}}},
	{"administradora general de fondos, AGF", locale.Phrase{"La empresa que administra fondos.",
		"The company that runs funds."},
		[]locale.Phrase{{"Administradora", "Manager"}}},
	{"serie", locale.Phrase{"Una clase de cuotas de un fondo, con costos, valor cuota e inversionistas propios.",
		"A class of units of one fund, with its own costs, unit price and investors."},
		[]locale.Phrase{{"Serie", "Series"}}},
	{"RUN", locale.Phrase{"El número de un fondo en el registro tributario.",
		"The number of a fund in the tax register."},
		[]locale.Phrase{{"RUN", "RUN"}}},
	{"familia (RAR), `familia_rar`", locale.Phrase{"El grupo más fino de fondos comparables, según la CMF.",
		"The finest group of comparable funds, as the regulator forms them."},
		[]locale.Phrase{{"Familia", "Family"}}},
	{"clase de inversionista", locale.Phrase{"Para quién es la serie, según la CMF: minorista, alto patrimonio o APV.",
		"For whom a series is, as the regulator states it: retail, high net worth or APV."},
		[]locale.Phrase{{"Inversionista", "Investor class"}, {"Clase de inversionista", "Class of investor"}}},
	{"tasa anual de costos, TAC", locale.Phrase{"Los costos de un año como parte del patrimonio.",
		"Costs of a year as a part of the equity."},
		[]locale.Phrase{{"TAC", "TAC"}, {"Costo anual (TAC)", "Annual cost (TAC)"}, {"TAC media", "Mean TAC"},
			{"TAC mediana", "Median TAC"}}},
	{"TAC sintética", locale.Phrase{
		"La tasa del comparador de costos, que cuenta también los costos de los fondos en que el fondo invierte.",
		"The rate of the comparator, which also counts the costs of funds that the fund holds."},
		[]locale.Phrase{{"sintética", "synthetic"}}},
	{"TAC informada (`tac_total`)", locale.Phrase{"La tasa de la planilla mensual de costos.",
		"The rate of the monthly cost sheet."},
		[]locale.Phrase{{"informada", "stated"}}},
	{"TAC calculada", locale.Phrase{"La media de las tasas diarias de un mes, de al menos 15 días.",
		"The mean of the daily rates of a month, of at least 15 days."},
		[]locale.Phrase{{"calculada", "computed"}}},
	{"esferas CMF, `ind_rar_pond`", locale.Phrase{
		"La nota que la CMF pone a una serie dentro de su familia y clase de inversionista: 5 es la mejor.",
		"The regulator's rating of a series within its family and investor class: 5 is best."},
		[]locale.Phrase{{"Esferas", "Spheres"}}},
	{"flujo neto", locale.Phrase{"Lo que entró a una serie menos lo que salió.",
		"What was paid into a series less what was paid out."},
		[]locale.Phrase{{"Flujo neto", "Net flow"}, {"Flujo neto de un mes", "Net flow of a month"},
			{"Flujo neto del último día hábil", "Net flow of the newest business day"}}},
	{"unidad de fomento, UF", locale.Phrase{"Una unidad de cuenta que sigue la inflación, con un valor para cada día.",
		"A unit of account that follows inflation; it has a value for every calendar day."},
		[]locale.Phrase{{"Frente a la UF", "Against UF"}}},
	{"volatilidad", locale.Phrase{"Cuánto varían las rentabilidades de los meses: su desviación estándar.",
		"Standard deviation of monthly returns."},
		[]locale.Phrase{{"Volatilidad", "Volatility"}}},
	{"caída máxima", locale.Phrase{"La mayor baja desde un valor cuota anterior.",
		"The deepest fall below an earlier quote."},
		[]locale.Phrase{{"Mayor caída", "Maximum drawdown"}, {"Mayor caída", "Deepest fall"}}},
	{"beta", locale.Phrase{"Cuánto se movió una serie por cada punto que se movió el índice de su familia, según las " +
		"rentabilidades mensuales de tres años.", "How much a series moved for each point that the index of its family " +
		"moved, by the monthly returns of three years."},
		[]locale.Phrase{{"Beta con su familia", "Beta with its family"}}},
	{"tracking error", locale.Phrase{"Cuánto varía la diferencia entre las rentabilidades de una serie y las del índice " +
		"de su familia: su desviación estándar en los meses de tres años, llevada a un año.",
		"How much the difference between the returns of a series and those of the index of its family varies: its " +
			"standard deviation over the months of three years, scaled to a year."},
		[]locale.Phrase{{"Tracking error con su familia", "Tracking error to its family"}}},
	{"correlación", locale.Phrase{
		"Cuánto suben y bajan juntas las rentabilidades mensuales de dos series, de −1 a 1.",
		"How much the monthly returns of two series rise and fall together, from −1 to 1."},
		[]locale.Phrase{{"Correlación de las rentabilidades mensuales", "Correlation of the monthly returns"}}},
	{"ventanas móviles", locale.Phrase{
		"Las rentabilidades de todas las ventanas de un largo, una por cada fin de mes.",
		"The returns over all windows of one length, one window for each month end."},
		[]locale.Phrase{{"Rentabilidad de todas las ventanas que terminan a fin de mes",
			"Returns of all windows that end on a month end"}}},
	{"índice de familia", locale.Phrase{"El cambio medio, encadenado, de las series de una familia en una moneda.",
		"The chained mean change of the series of a family in one currency."},
		[]locale.Phrase{{"Índice de la familia", "Index of the family"}}},
	{"valor libro", locale.Phrase{"El valor de una cuota en la contabilidad del fondo; no es un precio de mercado.",
		"The value of a unit of an investment fund in its books; it is never a market price."},
		[]locale.Phrase{{"Valor libro", "Book value"}}},
	{"valor económico", locale.Phrase{"Un valor tasado. Falta si no hubo tasación.",
		"An appraised value; null if there was no appraisal."},
		[]locale.Phrase{{"Valor económico", "Economic value"}}},
}

// explained are the terms by their titles in each language.
var explained = map[locale.Language]map[string]Term{
	locale.Spanish: byTitle(locale.Spanish), locale.English: byTitle(locale.English)}

func byTitle(in locale.Language) map[string]Term {
	terms := map[string]Term{}
	for _, term := range Terms {
		for _, title := range term.titles {
			terms[title.In(in)] = term
		}
	}
	return terms
}

// Meaning returns what the title of a column, figure or table means, and "" if it is none of the terms. What follows
// a comma, as in "Volatility, 36 months", tells figures of one term apart.
func Meaning(title string, in locale.Language) string {
	word, _, _ := strings.Cut(title, ", ")
	return explained[in][word].Meaning.In(in)
}
