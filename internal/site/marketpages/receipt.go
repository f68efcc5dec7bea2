package marketpages

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"cuota/internal/httpapi"
	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/explain"
	"cuota/query/operation"
	"cuota/query/receipt"
	"cuota/query/series"
)

const (
	receiptPath = "/recibo"
	// tac, rank, risk_score, or one of riskWords or indexWords; absent: a return if there is a window, else a quota
	numberKey = "numero"
	familyKey = "familia"
)

// receiptPage shows from which lines of which files a number follows: of a series a cost rate, a figure of risk, a
// return over the window that periodKey names, or a quota; of a family a point of its index.
var receiptPage = page{
	path: receiptPath, template: "receipt",
	keys: []string{serieKey, familyKey, moneyKey, numberKey, periodKey, valuationKey, dateKey},
	load: func(ctx context.Context, v *visit) (any, error) {
		family, numbers := v.Text(familyKey), append(slices.Sorted(maps.Keys(riskWords)), "tac", "rank", "risk_score")
		if family != "" {
			numbers = slices.Sorted(maps.Keys(indexWords))
		}
		wrong := slices.Concat(v.notAmong(valuationKey, "pesos", "uf", "total"), v.notAmong(numberKey, numbers...))
		if len(wrong) > 0 {
			return nil, wrong
		}
		window, field := v.Text(periodKey), cmp.Or(v.Text(numberKey), "price")
		if family != "" {
			field = cmp.Or(v.Text(numberKey), "index")
		}
		if window != "" && field == "price" {
			field = "return"
		}
		if v.Text(serieKey) == "" && family == "" {
			return nil, httpapi.Invalid{{Loc: []string{"query", serieKey}, Type: "missing",
				Msg: "Must be the id of a series"}}
		}
		found, err := find(ctx, v, explain.Explain, "series", v.Text(serieKey), "family", family,
			"currency", v.Text(moneyKey), "field", field, "window", window,
			"valuation", v.valuation().valuation, "basis", v.valuation().basis, "date", v.Date())
		if err != nil {
			return nil, err
		}
		made := found.Data.Attributes
		var peers table
		if made.Peers != nil {
			list, err := find(ctx, v, explain.Peers, "series", v.Text(serieKey), "field", field, "window", window,
				"date", v.Date())
			if err != nil {
				return nil, err
			}
			peers = v.peersTable(made, list.Data.Attributes)
		}
		name, link, closed, err := v.receiptOwner(ctx, made.Subject)
		if err != nil {
			return nil, err
		}
		sum, err := v.receiptSum(made)
		if err != nil {
			return nil, err
		}
		out := receiptView{Name: name, Link: link,
			What: v.explained(made), Value: v.receiptValue(made), Sum: sum,
			Rule: ruleWords(made).In(v.Lang), File: made.Rule.SQL, Peers: peers}
		if of := made.Subject; field == "return" && made.Value != nil && v.valuation().key == "" && ofMutualFund(of.Series) {
			out.Place = v.Link(receiptPath, serieKey, of.Series, periodKey, window, numberKey, "rank", dateKey, v.Date())
		}
		if why := closed.reason(v, made.Reason, endOfWindow(made.Subject)); made.Value == nil && why == closed.words {
			out.Value = missing(why)
		}
		for rest := made.Inputs; len(rest) > 0; {
			together := receipt.Alike(rest)
			out.Inputs = append(out.Inputs, v.inputView(len(out.Inputs), rest[:together], receipt.Stop(made.Inputs)))
			rest = rest[together:]
		}
		if strings.Contains(sum, receipt.Left) {
			out.Left = v.Say("El signo … reemplaza a otras partes, que están en las tablas de abajo.",
				"The sign … stands for more parts, which are in the tables below.")
			if slices.ContainsFunc(out.Inputs, func(of inputView) bool { return of.Lines.Note != "" }) {
				out.Left = v.Say("El signo … reemplaza a otras partes. La API las tiene todas: GET /api/explain.",
					"The sign … stands for more parts. The API has all of them: GET /api/explain.")
			}
		}
		return out, nil
	},
}

// receiptOwner returns the name and the address of the series or the family that a receipt is about, and when the
// series closed.
func (v *visit) receiptOwner(ctx context.Context, of receipt.Subject) (name, link string, closed closing, err error) {
	if of.Family != nil {
		link = v.Link(familyPath(*of.Family), dateKey, v.Date(), moneyKey, v.Text(moneyKey))
		return familyname.Spelt(*of.Family), link, closing{}, nil
	}
	found, err := find(ctx, v, series.Profile, "asset_id", v.Text(serieKey), "as_of_date", v.Date())
	if err != nil {
		return "", "", closing{}, err
	}
	last, err := v.lastQuote(ctx, found)
	return v.seriesTitle(found), v.Link(seriesPath(found.ID), dateKey, v.Date()), v.closingOf(found, nil, last), err
}

// endOfWindow returns the day at which the window of a return ends: that of the receipt, or the last month end up to
// it.
func endOfWindow(of receipt.Subject) model.Date {
	if textOf(of.Window) != "last_closed_month" || of.Date.AddDays(1).Time().Day() == 1 {
		return of.Date
	}
	return of.Date.AddDays(-of.Date.Time().Day())
}

// indexReceiptLink is the address of the receipt of a point of the index of a family.
func (v *visit) indexReceiptLink(family, money, date string) string {
	return v.Link(receiptPath, familyKey, family, moneyKey, money, numberKey, "index", dateKey, date)
}

// receiptLink is the address of the receipt of a return of a series, of a kind of valuations, or of its quota if there
// is no window.
func (v *visit) receiptLink(id, window, kind, date string) string {
	return v.Link(receiptPath, serieKey, id, periodKey, window, valuationKey, kind, dateKey, date)
}

// riskReceiptLink is the address of the receipt of a figure of risk of a series.
func (v *visit) riskReceiptLink(id, field, date string) string {
	return v.Link(receiptPath, serieKey, id, numberKey, field, dateKey, date)
}

// ofMutualFund reports whether an id is that of a series of a mutual fund. Only these have receipts of ranks.
func ofMutualFund(id string) bool {
	_, decimal := operation.ParseID(id)
	return decimal
}

// costReceiptLink is the address of the receipt of the cost rate of a series.
func (v *visit) costReceiptLink(id, date string) string {
	return v.Link(receiptPath, serieKey, id, numberKey, "tac", dateKey, date)
}

type receiptView struct {
	Name, Link, What string
	Value            cell
	Sum              string // the formula with its numbers; "" where there is no value
	Left             string // where the parts are that the formula leaves out; "" if it has all
	Rule, File       string
	Inputs           []inputView
	Peers            table  // among which the value is a place; without rows of other numbers
	Place            string // address of the place by the return that the receipt is of; "" of other numbers
}

// inputView is a quote or a rate that a receipt needs.
type inputView struct {
	Title, Says string
	Link        string // address of the receipt of the value; "" if lines of files state it
	Lines       table
}

// receiptRules are the rules of receipts in a few words, by their id, or by the field where one rule has several.
var receiptRules = map[string]locale.Phrase{
	"which-value-of-several-counts": {"De todas las líneas sobre una serie y un día valen primero las que usan el nombre vigente " +
		"ese día, y de estas la del archivo publicado al último.",
		"Of all lines about a series and a day, those under the name that was valid on the day count first, and of these the one " +
			"whose file was published last."},
	"windows-and-the-quotes-that-stand-for-their-dates": {"A cada extremo del período corresponde el valor cuota más nuevo " +
		"hasta su fecha, de a lo más siete días antes. La rentabilidad es el valor final dividido por el inicial, menos 1; en un " +
		"período por año, la raíz de ese cociente, menos 1.",
		"Each end of the window takes the newest unit price on or before its date, at most seven days older. The return is that at " +
			"the end divided by that at the start, less 1; in a window per year, the root of this quotient, less 1."},
	"returns-in-pesos-and-in-uf": {"Los valores cuota son los de la rentabilidad en la moneda de la serie. Los dólares se " +
		"pasan a pesos con el dólar observado más nuevo hasta el día del valor cuota, de a lo más siete días antes. Sobre UF, el " +
		"cociente se divide además por el de las UF de ambos días. La rentabilidad es el resultado menos 1; en un período por año, su raíz menos 1.",
		"The unit prices are those of the return in the currency of the series. Dollars become pesos at the newest dólar " +
			"observado on or before the day of the unit price, at most seven days older. Above UF, the quotient is divided by that of " +
			"the UF of both days. The return is the result less 1; in a window per year, its root less 1."},
	"total-returns": {"El valor final se divide por el inicial y se multiplica por los factores verificados de los días intermedios, " +
		"que reinvierten los repartos, y por los canjes. Cada día necesita exactamente un factor verificado, de su mismo valor cuota; los que " +
		"son 1 no cambian nada y no se muestran. La rentabilidad es el resultado menos 1; en un período por año, su raíz menos 1.",
		"The unit price at the end is divided by that at the start and multiplied by the verified factors of the days between, which " +
			"reinvest distributions, and by the exchanges. Every day needs exactly one verified factor, of the same unit price; those that " +
			"are 1 change nothing and are not shown. The return is the result less 1; in a window per year, its root less 1."},
	"the-history-and-the-current-rate": {"Vale el costo sintético más nuevo, si su mes no es un año más antiguo que el último mes con " +
		"algún costo de la serie; si no, el costo real más nuevo. De todas las líneas sobre un mes valen primero las que usan el nombre " +
		"vigente, y de estas la publicada al último.",
		"The newest synthetic cost counts, if its month is not a year older than the last month with any cost of the series, or else " +
			"the newest real one. Of all lines about a month, those under the valid name count first, and of these the one that was " +
			"published last."},
	"volatility-drawdown-downside-and-value-at-risk": {"A cada fin de mes corresponde el valor cuota más nuevo hasta entonces, de a lo más siete " +
		"días antes. Un mes multiplicó el dinero por el cociente de los valores cuota de su fin y del anterior, por los factores que informa la " +
		"cartola en sus días. La volatilidad es la desviación estándar muestral de 12 o 36 meses, y la anualizada es esta por la raíz de 12. " +
		"Necesita todos los meses, sin quiebres.",
		"Each month end takes the newest unit price on or before it, at most seven days older. A month has multiplied the money by the " +
			"quotient of the unit prices of its end and of the end before, times the factors that the cartola states on its days. The " +
			"volatility is the sample standard deviation of 12 or 36 months, and the annualised one is this times the root of 12. It needs " +
			"every month, without a break."},
	"max_drawdown_36m": {"Entre el primero y el último de 37 fines de mes, la mayor caída va de un valor cuota máximo al más bajo que lo siguió. " +
		"Es el más bajo dividido por el máximo, por los factores que informa la cartola en los días intermedios, menos 1; es 0 si el valor " +
		"cuota nunca bajó. A cada fin de mes corresponde el valor cuota más nuevo hasta entonces, de a lo más siete días antes. Necesita todos " +
		"los meses, sin quiebres.",
		"Between the first and the last of 37 month ends, the deepest fall goes from a highest unit price to the lowest one that followed. " +
			"It is the lowest divided by the highest, times the factors that the cartola states on the days between, less 1, or 0 if the unit " +
			"price never fell. Each month end takes the newest unit price on or before it, at most seven days older. It needs every month, " +
			"without a break."},
	"screener": {"Las series vigentes al corte y de la misma moneda se ordenan por su rentabilidad del valor cuota en el período, la mayor " +
		"primero, y las iguales por id ascendente. El lugar es cuántas hay antes, más una. Las series sin esa rentabilidad no tienen lugar.",
		"The series that are current at the cutoff and in the same currency are sorted by their return of the unit price over the " +
			"window, the greatest first, and equal ones by ascending id. The place is how many come before, and one. Series without this " +
			"return have no place."},
	"score-and-level": {"Las series de fondos mutuos que a fin de mes tienen volatilidad y mayor caída de 36 meses se ordenan por ambas. El " +
		"lugar es cuántas tienen un valor menor, más la mitad de cuántas tienen el mismo, contando la serie misma, dividido por cuántas hay; una " +
		"caída cuenta por su profundidad. El resultado es 100 veces el promedio de ambos lugares, redondeado.",
		"The series of mutual funds that have a volatility and a deepest fall of 36 months at the month end are sorted by both. The rank " +
			"is how many have a smaller value, and half of how many have the same, the series itself among them, divided by how many there " +
			"are; a fall counts by its depth. The result is 100 times the mean of both ranks, rounded."},
	"the-index-of-a-family": {"Cada punto del índice es el anterior por el promedio de lo que sus series multiplicaron el dinero, ponderado por su " +
		"patrimonio en el día del punto anterior. Eso es el valor cuota dividido por el de ese día, por los factores que informa la cartola en " +
		"los días siguientes. Cuenta una serie que estuvo en la familia en cada valor cuota desde entonces, que tenía patrimonio y cuyo cambio " +
		"no es atípico ni un salto que se revierte. Hacen falta tres series de dos fondos con la mitad del patrimonio. El primer punto es 100. " +
		"Después de más de siete días sin un punto sigue el mismo nivel, sin un cambio.",
		"Each point of the index is the one before, times the mean of what its series have multiplied the money by, weighted by their equity " +
			"on the day of the point before. This is the unit price divided by that of this day, times the factors that the cartola states on " +
			"the days since. A series counts if it was in the family at every unit price since, had equity, and its change is no outlier " +
			"and no spike. It takes three series of two funds with half of the equity. The first point is 100. After more than seven days " +
			"without a point the level carries on, without a change."},
	"the-daily-and-the-monthly-computed-rate": {"Ningún archivo informa el costo de este mes, ni vale un costo sintético del " +
		"último año, así que se calcula con los costos diarios de la cartola: cada día, remuneraciones y gastos divididos por el patrimonio que los soportó más ellos mismos; el patrimonio es (cuotas en circulación + " +
		"rescatadas − aportadas) × valor cuota. Si el día anterior no había patrimonio, es 0. El costo anual es el promedio del mes, de a lo " +
		"menos 15 días, por los días del año.",
		"No file states the cost of this month, and no synthetic one of the last year counts, so it is computed from the daily costs of " +
			"the cartola: of each day, fees and expenses divided by the equity that bore them and themselves; the equity is (units outstanding + redeemed − contributed) × unit price. If there was no " +
			"equity on the day before, it is 0. The annual cost is the mean of the month, of at least 15 days, times the days of the year."},
}

// indexWords are the numbers of the index of a family that have receipts.
var indexWords = map[string]locale.Phrase{
	"index":        {"Índice de la familia", "Index of the family"},
	"index_change": {"Cambio del índice de la familia desde el punto anterior", "Change of the index of the family since the point before"},
}

// ruleWords is the rule of a receipt in a few words.
func ruleWords(of receipt.Receipt) locale.Phrase {
	if words, own := receiptRules[of.Subject.Field]; own {
		return words
	}
	return receiptRules[of.Rule.ID]
}

// riskWords are the figures of risk that have receipts.
var riskWords = map[string]locale.Phrase{
	"volatility_monthly_12m":    {"Volatilidad mensual de 12 meses", "Monthly volatility of 12 months"},
	"volatility_monthly_36m":    {"Volatilidad mensual de 36 meses", "Monthly volatility of 36 months"},
	"volatility_annualized_12m": {"Volatilidad anualizada de 12 meses", "Annualised volatility of 12 months"},
	"volatility_annualized_36m": {"Volatilidad anualizada de 36 meses", "Annualised volatility of 36 months"},
	"max_drawdown_36m":          {"Mayor caída de 36 meses", "Deepest fall of 36 months"},
}

// moneyOfUnits names the currency of a return of quotas in these units.
var moneyOfUnits = map[string]locale.Phrase{
	"PESOS per quota": {", en pesos", ", in pesos"},
	"DOLAR per quota": {", en dólares", ", in dollars"},
}

// explained says of what a receipt is. A return of quotas says in which currency, if both ends are in the same.
func (v *visit) explained(made receipt.Receipt) string {
	of := made.Subject
	words, ofRisk := riskWords[of.Field]
	switch {
	case of.Family != nil:
		money := ""
		if of.Currency != nil {
			money = v.Say(" en ", " in ") + worded(moneyNames, *of.Currency).In(v.Lang)
		}
		return indexWords[of.Field].In(v.Lang) + money + v.Say(", al ", ", as of ") + v.Day(&of.Date)
	case ofRisk:
		return words.In(v.Lang) + v.Say(", al ", ", as of ") + v.Day(&of.Date)
	case of.Field == "risk_score":
		return v.Say("Nivel de riesgo de 0 a 100, al ", "Level of risk from 0 to 100, as of ") + v.Day(&of.Date)
	case of.Field == "tac":
		return v.Say("Costo anual (TAC) al ", "Annual cost (TAC) as of ") + v.Day(&of.Date)
	case of.Window == nil:
		return v.Say("Valor cuota del ", "Unit price of ") + v.Day(&of.Date)
	}
	name := *of.Window
	for _, w := range windowWords {
		if w.key == name {
			name = strings.Replace(w.name.In(v.Lang), v.Say(", por año", ", per year"),
				v.Say(", anualizada", ", annualised"), 1)
		}
	}
	name = strings.Replace(name, " ", locale.NoBreak, 1) // between the number and its word
	what := v.Say("Rentabilidad del valor cuota, ", "Return of the unit price, ")
	if of.Field == "rank" {
		what = v.Say("Lugar por rentabilidad del valor cuota, ", "Place by return of the unit price, ")
	}
	switch v.valuation().key {
	case "pesos":
		what = v.Say("Rentabilidad en pesos, ", "Return in pesos, ")
	case "uf":
		what = v.Say("Rentabilidad real, sobre UF, ", "Real return, above UF, ")
	case "total":
		what = v.Say("Rentabilidad total, con repartos reinvertidos, ", "Total return, with distributions reinvested, ")
	}
	if key := v.valuation().key; key != "pesos" && key != "uf" {
		name += v.moneyOf(made.Inputs)
	}
	return what + name + v.Say(", al ", ", as of ") + v.Day(&of.Date)
}

// moneyOf names the currency of the quotas at both ends of a window; "" if they differ or are not known.
func (v *visit) moneyOf(inputs []receipt.Input) string {
	unit := ""
	for i := range inputs {
		of := &inputs[i]
		if _, known := moneyOfUnits[of.Unit]; known && (of.Name == "end" || of.Name == "start") {
			if unit != "" && of.Unit != unit {
				return ""
			}
			unit = of.Unit
		}
	}
	return moneyOfUnits[unit].In(v.Lang)
}

// receiptReasons are reasons that only receipts have.
var receiptReasons = map[string]locale.Phrase{
	"missing_quote":    {"ningún archivo informa ese día", "no file states that day"},
	"invalid_quote":    {"la línea de ese día no se puede usar", "the line of that day can't be used"},
	"no_index_point":   {"el índice no tiene un punto ese día", "the index has no point on that day"},
	"no_index_change":  {"el índice comienza ese día, o sigue después de más de siete días sin un punto", "the index begins on that day, or carries on after more than seven days without a point"},
	"no_risk_snapshot": {"no hay un mes cerrado con valor cuota al final", "there is no closed month with a unit price at its end"},
	"not_in_screener":  {"la serie no está entre las que se comparan a esa fecha", "the series is not among those that are compared at that date"},
	"missing_monthly_return": {"a un mes le falta el valor cuota del final, o tiene un quiebre",
		"a month has no unit price at its end, or has a break"},
	"no_cost_rate": {"no se conoce ningún costo de la serie hasta esa fecha", "no cost of the series is known up to that date"},
}

func (v *visit) receiptValue(of receipt.Receipt) cell {
	if of.Value == nil {
		if text, own := receiptReasons[*of.Reason]; own {
			return missing(text.In(v.Lang))
		}
		return missing(v.reason(of.Reason))
	}
	value, err := strconv.ParseFloat(*of.Value, 64)
	if err != nil {
		return missing(*of.Value)
	}
	_, ofRisk := riskWords[of.Subject.Field]
	switch {
	case ofRisk:
		return v.fraction(&value, 2, "")
	case of.Subject.Field == "index":
		return v.number(&value, 2, "")
	case of.Subject.Field == "index_change":
		return v.change(new(value/100), "")
	case of.Peers != nil && of.Subject.Field == "rank":
		return word(*of.Value + v.Say(" de ", " of ") + v.count(of.Peers.Series).Text)
	case of.Subject.Field == "risk_score":
		return word(*of.Value + v.Say(" de 100", " of 100"))
	case of.Subject.Field == "tac":
		cost := v.fraction(&value, 2, "")
		cost.Sub = v.inWords(tacKinds, of.Subject.Kind, "").Text
		return cost
	case of.Subject.Window == nil:
		quota := v.quoted(&value)
		quota.Sub = v.unitOf(of.Unit)
		return quota
	}
	return v.change(&value, "")
}

// quoted is a cell with a quota.
func (v *visit) quoted(value *float64) cell { return v.number(value, 4, "") }

// receiptSum writes the formula of a receipt with its numbers; "" where the value is that of a line.
func (v *visit) receiptSum(of receipt.Receipt) (string, error) {
	if of.Value == nil || of.Formula == nil || of.Subject.Field == "price" {
		return "", nil
	}
	names := map[string]string{"deviation": v.Say("desviación", "deviation"), "rounded": v.Say("redondeo", "rounded"),
		"place": v.Say("lugar", "place"), "midrank": v.Say("menores y mitad de iguales", "smaller and half of equal ones")}
	sum, err := of.Written(receipt.Notation{Minus: "−", Times: "×", Over: "÷", Names: names,
		Value: func(input *receipt.Input) string { return v.stated(input.Value, input).Text }})
	return sum + " = " + v.receiptValue(of).Text, err
}

// unitWords are the units of receipts in words. A quota in another currency has none.
var unitWords = map[string]locale.Phrase{
	"PESOS per quota":  {"pesos por cuota", "pesos per unit"},
	"DOLAR per quota":  {"dólares por cuota", "dollars per unit"},
	"PESOS per UF":     {"pesos por UF", "pesos per UF"},
	"PESOS per DOLAR":  {"pesos por dólar", "pesos per dollar"},
	"percent per year": {"% al año", "% per year"},
	"quotas per quota": {"cuotas por cuota anterior", "units per earlier unit"},

	"PESOS": {"pesos", "pesos"},
	"DOLAR": {"dólares", "dollars"},

	"currency of the series": {"en la moneda de la serie", "in the currency of the series"},
}

// unitOf is a unit of a receipt in words; "" if there are none.
func (v *visit) unitOf(unit string) string {
	return unitWords[unit].In(v.Lang)
}

// stated is a cell with a value of an input as a line has it: a quota or a rate.
func (v *visit) stated(text *string, of *receipt.Input) cell {
	if text == nil {
		return missing("")
	}
	value, err := strconv.ParseFloat(*text, 64)
	if err != nil {
		return missing(*text)
	}
	switch {
	case rateOf(of):
		return v.number(&value, 2, "")
	case of.Name == "rate":
		return v.number(&value, decimalsOf(*text, 6), "")
	case of.Name == "member_equity", of.Name == "level_before":
		return v.number(&value, 2, "")
	case appliedTo(of):
		return v.number(&value, decimalsOf(*text, 9), "")
	case ofCosts(of):
		return v.number(&value, decimalsOf(*text, 4), "")
	}
	return v.quoted(&value)
}

// decimalsOf is how many decimals a number is shown with: as many as its text has, from two to the most.
func decimalsOf(text string, most int) int {
	_, decimals, _ := strings.Cut(text, ".")
	return max(2, min(len(decimals), most))
}

// appliedTo reports whether an input multiplies quotas.
func appliedTo(of *receipt.Input) bool {
	return of.Name == "factor" || of.Name == "stated_factor" || of.Name == "member_factor" || of.Name == "exchange"
}

// ofDays reports whether inputs of one kind are of several days.
func ofDays(of *receipt.Input) bool {
	return appliedTo(of) || ofCosts(of) || of.Name == "month_end" || receipt.OfMember(of)
}

// ofCosts reports whether an input is one of which a cost rate was computed.
func ofCosts(of *receipt.Input) bool {
	return of.Name == "costs" || of.Name == "bearing_equity" || of.Name == "equity_before"
}

// rateOf reports whether an input is the UF or the dólar of a day.
func rateOf(of *receipt.Input) bool {
	return strings.HasSuffix(of.Name, "_fx") || strings.HasSuffix(of.Name, "_uf")
}

// inputTitles name the inputs of receipts.
var inputTitles = map[string]locale.Phrase{
	"quote": {"El valor cuota", "The unit price"},
	"end":   {"Valor cuota al final", "Unit price at the end"},
	"start": {"Valor cuota al inicio", "Unit price at the start"},

	"end_fx":   {"Dólar observado al final", "Dólar observado at the end"},
	"start_fx": {"Dólar observado al inicio", "Dólar observado at the start"},
	"end_uf":   {"UF al final", "UF at the end"},
	"start_uf": {"UF al inicio", "UF at the start"},

	"factor":   {"Factores verificados de repartos y ajustes", "Verified factors of distributions and adjustments"},
	"exchange": {"Canje por cuotas de otra serie", "Exchange for units of another series"},

	"rate": {"Costo anual que informa un archivo, en %", "Annual cost that a file states, in %"},

	"costs":          {"Remuneraciones y gastos de cada día", "Fees and expenses of each day"},
	"bearing_equity": {"Patrimonio que los soportó", "Equity that bore them"},
	"equity_before":  {"Patrimonio del día anterior", "Equity of the day before"},

	"level_before":  {"Nivel del punto anterior del índice", "Level of the point before of the index"},
	"member_end":    {"Valor cuota final de cada serie de la familia", "Unit price at the end of each series of the family"},
	"member_start":  {"Valor cuota inicial de cada serie de la familia", "Unit price at the start of each series of the family"},
	"member_equity": {"Patrimonio inicial de cada serie, con el que pesa", "Equity of each series at the start, by which it is weighted"},
	"member_factor": {"Factores que informa la cartola de las series de la familia (ajuste por reparto)",
		"Factors that the cartola states of series of the family (ajuste times reparto)"},

	"peak":   {"Valor cuota más alto, antes de la caída", "Highest unit price, before the fall"},
	"trough": {"Valor cuota más bajo de la caída", "Lowest unit price of the fall"},

	"month_end":     {"Valor cuota de cada fin de mes", "Unit price of each month end"},
	"stated_factor": {"Factores que informa la cartola (ajuste por reparto)", "Factors that the cartola states (ajuste times reparto)"},
}

// inputView shows an input, or several that are shown in one table. An exchange at stop is not followed.
func (v *visit) inputView(place int, all []receipt.Input, stop *model.Date) inputView {
	of := &all[0]
	out := inputView{Title: worded(inputTitles, of.Name).In(v.Lang)}
	orBefore := v.Say(" ni de antes.", " or before.")
	switch {
	case of.Name == "month_end":
		out.Says = v.lackingEnds(all)
	case of.Date == nil && strings.HasSuffix(of.Name, "_uf"):
		out.Says = v.Say("No hay UF del ", "There is no UF of ") + v.Day(of.Target) + "."
	case of.Date == nil && rateOf(of):
		out.Says = v.Say("No hay ningún dólar observado del ", "There is no dólar observado of ") + v.Day(of.Target) + orBefore
	case of.Date == nil && of.Name == "end" && stop != nil:
		out.Says = v.Say("Sin juzgar: no se sigue el canje del ", "Not judged: the rule does not follow the exchange of ") + v.Day(stop) + "."
	case of.Date == nil:
		out.Says = v.Say("No hay ningún valor cuota del ", "There is no unit price of ") + v.Day(of.Target) + orBefore
	case of.Name == "factor" && len(of.Lines) == 0:
		out.Says = v.Say("Falta el factor del ", "The factor of ") + v.Day(of.Date) + v.Say(".", " is missing.")
	case of.NotFollowed():
		out.Says = v.Say("No se sigue el canje del ", "The rule does not follow the exchange of ") + v.Day(of.Date) + "."
	case of.Name == "exchange":
		out.Says = v.Say("Desde el ", "From ") + v.Day(of.Date) + v.Say(".", " on.")
	case of.Name == "rate":
		out.Says = v.Say("Del mes que termina el ", "Of the month that ends on ") + v.Day(of.Date) + "."
	case of.Name == "level_before" && of.Value != nil:
		out.Says = v.stated(of.Value, of).Text + v.Say(", al ", ", as of ") + v.Day(of.Date) + "."
		out.Link = v.indexReceiptLink(v.Text(familyKey), v.Text(moneyKey), of.Date.String())
	case receipt.OfMember(of):
	case of.Name == "peak" || of.Name == "trough":
		out.Says = v.Say("Del ", "Of ") + v.Day(of.Date) + "."
	case of.Target == nil:
	case *of.Date == *of.Target && rateOf(of):
		out.Says = v.Say("Del día del valor cuota, el ", "Of the day of the unit price, ") + v.Day(of.Date) + "."
	case *of.Date == *of.Target:
		out.Says = v.Say("El período pide el ", "The window asks for ") + v.Day(of.Date) +
			v.Say(": hay valor cuota de ese mismo día.", ": there is a unit price for that very day.")
	default:
		days := of.Target.DaysSince(*of.Date)
		asks := v.Say("El período pide el ", "The window asks for ")
		if rateOf(of) {
			asks = v.Say("El valor cuota es del ", "The unit price is of ")
		}
		out.Says = asks + v.Day(of.Target) +
			v.Say("; el más nuevo hasta entonces es del ", "; the newest on or before it is of ") + v.Day(of.Date) +
			", " + v.count(days).Text + map[bool]string{true: v.Say(" día antes", " day before"),
			false: v.Say(" días antes", " days before")}[days == 1]
		if days > mostDaysBefore {
			out.Says += v.Say("; se aceptan a lo más siete días antes, así que no sirve",
				"; at most seven days before are accepted, so it can't be used")
		}
		out.Says += "."
	}
	if of.Held != nil && len(of.Held.Names) > 0 && !receipt.OfMember(of) {
		out.Says = strings.TrimSpace(out.Says + v.Say(" Por el canje, las cuotas son entonces de la serie ", " By the exchange, the units are then of series ") +
			of.Held.Names[0].Serie + v.Say(" del fondo ", " of fund ") + of.Held.RUN + ".")
	}
	out.Lines = v.linesTable(place, all)
	return out
}

// peerWords name the values of peers.
var peerWords = map[string]locale.Phrase{
	"return":                 {"Rentabilidad", "Return"},
	"volatility_monthly_36m": {"Volatilidad mensual, 36 meses", "Monthly volatility, 36 months"},
	"max_drawdown_36m":       {"Mayor caída, 36 meses", "Deepest fall, 36 months"},
}

// peersTable shows the series among which a receipt tells a place, with those that are nearest to it if they are many.
// Each value leads to its receipt.
func (v *visit) peersTable(made receipt.Receipt, list receipt.List) table {
	t := table{ID: "pares", Caption: v.Say("Series que se comparan", "Series that are compared"),
		Columns: []column{{Title: v.Say("Lugar", "Rank"), Numeric: true, Rank: true}, {Title: v.Say("Serie", "Series")}}}
	for _, field := range list.Fields {
		t.Columns = append(t.Columns, column{Title: worded(peerWords, field).In(v.Lang), Numeric: true})
	}
	if made.Subject.Field != "rank" { // they are by id
		t.Columns = t.Columns[1:]
	}
	own := slices.IndexFunc(list.Peers, func(of receipt.Peer) bool { return of.Series == made.Peers.Own })
	from := max(0, min(own-mostLines/2, len(list.Peers)-mostLines))
	until := min(from+mostLines, len(list.Peers))
	on := made.Subject.Date.String()
	for i, of := range list.Peers[from:until] {
		name := linked(of.RUN+" "+of.Serie, v.Link(seriesPath(of.Series), dateKey, v.Date()))
		if from+i == own {
			name.Sub = v.Say("esta serie", "this series")
		}
		cells := []cell{v.count(from + i + 1), name}
		for f, field := range list.Fields {
			value, err := strconv.ParseFloat(of.Values[f], 64)
			if err != nil {
				cells = append(cells, missing(of.Values[f]))
				continue
			}
			if field == "return" {
				change := v.change(&value, "")
				change.Link = v.receiptLink(of.Series, operation.Value(made.Subject.Window), "", on)
				cells = append(cells, change)
				continue
			}
			cells = append(cells, v.explainedRisk(&value, "", of.Series, field))
		}
		t.Rows = append(t.Rows, row{Cells: cells[2+len(list.Fields)-len(t.Columns):]})
	}
	if len(list.Peers) > len(t.Rows) {
		t.Note = v.Say("Se muestran ", "Shown are ") + v.count(len(t.Rows)).Text + v.Say(" de ", " of ") + v.count(len(list.Peers)).Text +
			v.Say(" series. La API las tiene todas: GET /api/explain/peers.", " series. The API has all of them: GET /api/explain/peers.")
	}
	for _, out := range made.Peers.LeftOut {
		t.Note = strings.TrimSpace(t.Note + " " + v.Say("Quedan fuera ", "Left out are ") + v.count(out.Series).Text + ": " +
			v.leftOutWords(out.Reason) + ".")
	}
	return t
}

// leftOutWords says why series are left out.
func (v *visit) leftOutWords(reason string) string {
	if text, own := receiptReasons[reason]; own {
		return text.In(v.Lang)
	}
	return v.reason(&reason)
}

// mostDaysBefore is how many days before its day a quote or a dólar may be (RULES 1).
const mostDaysBefore = 7

// informed says that lines state inputs of a name, in the number and gender of their title.
func (v *visit) informed(name string) string {
	switch {
	case name == "factor" || name == "stated_factor" || name == "costs":
		return v.Say(": líneas que los informan", ": lines that state them")
	case strings.HasSuffix(name, "_uf"):
		return v.Say(": líneas que la informan", ": lines that state it")
	}
	return v.Say(": líneas que lo informan", ": lines that state it")
}

// lackingEnds names the month ends that have no quote; "" if each has one.
func (v *visit) lackingEnds(all []receipt.Input) string {
	var lacking []string
	for i := range all {
		if all[i].Value == nil {
			lacking = append(lacking, v.Day(all[i].Target))
		}
	}
	if len(lacking) == 0 {
		return ""
	}
	return v.Say("No hay valor cuota al ", "There is no unit price on ") + strings.Join(lacking, ", ") + "."
}

// mostLines is how many lines a table shows.
const mostLines = 100

// linesTable shows the lines that state a day, or several days.
func (v *visit) linesTable(place int, all []receipt.Input) table {
	of, lines := &all[0], 0
	t := table{
		ID: "lineas-" + strconv.Itoa(place+1), Caption: worded(inputTitles, of.Name).In(v.Lang) + v.informed(of.Name),
		Columns: []column{
			{Title: v.Say("Valor", "Value"), Unit: v.unitOf(of.Unit), Numeric: true}, {Title: v.Say("¿Es la línea vigente de su día?", "Is it the current line of its day?")},
			{Title: v.Say("Archivo", "File")}, {Title: v.Say("Línea", "Line"), Numeric: true},
			{Title: v.Say("Publicado", "Published"),
				Hint: v.Say("Cuándo lo publicó la fuente, en hora de Santiago", "When the source published it, time of Santiago")},
			{Title: v.Say("Visto", "Seen"), Hint: v.Say("Cuándo se publicó el primer lote que lo tiene",
				"When the first batch that has it was published")},
		},
		Empty: v.Say("Ningún archivo informa ese día.", "No file states that day."),
	}
	if ofDays(of) {
		t.Columns = slices.Insert(t.Columns, 0, column{Title: v.Say("Día", "Day"), Numeric: true})
	}
	if receipt.OfMember(of) {
		t.Columns = slices.Insert(t.Columns, 0, column{Title: v.Say("Serie", "Series")})
	}
	for i := range all {
		lines += len(all[i].Lines)
		t.Rows = append(t.Rows, v.lineRows(&all[i])...)
	}
	if lines > mostLines {
		t.Rows = t.Rows[:mostLines]
		t.Note = v.Say("Se muestran ", "Shown are ") + v.count(mostLines).Text + v.Say(" de ", " of ") + v.count(lines).Text +
			v.Say(" líneas. La API las tiene todas: GET /api/explain.", " lines. The API has all of them: GET /api/explain.")
	}
	return t
}

// lineRows has a row for each line that states an input, the newest first.
func (v *visit) lineRows(of *receipt.Input) (rows []row) {
	for _, line := range slices.Backward(of.Lines) {
		value := missing(v.Say("la línea no tiene un valor que se pueda usar", "the line has no value that can be used"))
		if line.Value != nil {
			value = v.stated(line.Value, of)
		}
		counts := word(v.Say("sí", "yes"))
		if !line.Counts {
			counts = word(v.Say("no, otra la reemplaza", "no, another one replaces it"))
		}
		file := optional(line.File, v.Say("no se guarda su nombre", "its name is not kept"))
		file.Breaks = true
		file.Sub = v.inWords(datasetWords, &line.Dataset, "").Text + " · hash " + line.SHA256[:min(12, len(line.SHA256))]
		seen := missing(v.Say("antes de que se guardara ese momento", "before that moment was kept"))
		if line.Seen != nil {
			seen = v.moment(*line.Seen)
		}
		cells := []cell{value, counts, file, v.count(int(line.Line)), v.moment(line.Published), seen}
		if ofDays(of) {
			cells = slices.Insert(cells, 0, v.day(of.Date, ""))
		}
		if receipt.OfMember(of) && of.Held != nil && len(of.Held.Names) > 0 {
			name := linked(of.Held.RUN+" "+of.Held.Names[0].Serie, v.Link(seriesPath(of.Held.Series), dateKey, v.Date()))
			cells = slices.Insert(cells, 0, name)
		}
		rows = append(rows, row{Cells: cells})
	}
	return rows
}
