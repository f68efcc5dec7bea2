package agent

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// words are the values of an argument, each with other words for it, in Spanish and English. The words are folded.
type words []word

type word struct {
	value  string
	others []string
}

var windowWords = words{
	{"1m", []string{"1 mes", "un mes", "mes", "1 month", "one month", "month", "mensual"}},
	{"3m", []string{"3 meses", "tres meses", "trimestre", "3 months", "three months", "quarter"}},
	{"6m", []string{"6 meses", "seis meses", "semestre", "6 months", "six months"}},
	{
		"1y",
		[]string{"1 ano", "un ano", "ano", "1a", "12m", "12 meses", "doce meses", "anual", "1 year", "one year", "year",
			"12 months"},
	},
	{"ytd", []string{"en el ano", "este ano", "ano corrido", "ano a la fecha", "year to date", "this year"}},
	{"3y_ann", []string{"3y", "3a", "3 anos", "tres anos", "36m", "3 years", "three years"}},
	{"5y_ann", []string{"5y", "5a", "5 anos", "cinco anos", "60m", "5 years", "five years"}},
	{"last_closed_month", []string{"ultimo mes cerrado", "mes cerrado", "mes pasado", "last month", "closed month"}},
}

var figureWords = words{
	{"return", []string{"returns", "rentabilidad", "retorno", "performance", "rendimiento"}},
	{"tac", []string{"cost", "costs", "costo", "costos", "expense ratio", "expense", "fee", "fees", "comision", "ter"}},
	{"equity", []string{"patrimonio", "patrimony", "aum", "size", "net assets", "tamano"}},
	{"quota", []string{"valor cuota", "cuota", "price", "nav", "precio", "quota value"}},
	{"shareholders", []string{"participes", "investors", "aportantes"}},
	{"risk", []string{"riesgo", "volatility", "volatilidad", "drawdown", "risk level"}},
	{"spheres", []string{"esferas", "rating", "cmf spheres", "estrellas", "stars"}},
}

var currencyWords = words{
	{"PESOS", []string{"clp", "peso", "pesos chilenos", "chilean pesos", "chilean peso"}},
	{"DOLAR", []string{"usd", "dolares", "dollar", "dollars", "us dollar", "us dollars"}},
}

var categoryWords = words{
	{"money_market", []string{"mercado monetario", "monetario", "money market", "liquidez"}},
	{"fixed_income", []string{"renta fija", "deuda", "debt", "bonds", "bonos"}},
	{"balanced", []string{"balanceado", "balanceados", "mixto", "mixed"}},
	{"equity", []string{"accionario", "acciones", "renta variable", "stocks", "equities"}},
	{"structured", []string{"estructurado", "estructurados", "garantizado"}},
	{"other", []string{"otro", "otros"}},
}

var valuationWords = words{
	{"accounting", []string{"nominal", "own currency"}},
	{"clp", []string{"pesos", "en pesos"}},
	{"real_uf", []string{"uf", "real", "en uf", "above inflation", "sobre inflacion"}},
}

var orderWords = words{
	{"asc", []string{"ascending", "ascendente", "lowest", "smallest", "menor"}},
	{"desc", []string{"descending", "descendente", "highest", "greatest", "mayor"}},
}

// values lists what an argument may be.
func (w words) values() []string {
	var values []string
	for _, each := range w {
		values = append(values, each.value)
	}
	return values
}

// read returns the value for a text; "" for "". It fails with the values that there are.
func (w words) read(argument, text string) (string, error) {
	plain := fold(text)
	if plain == "" {
		return "", nil
	}
	var all []string
	for _, each := range w {
		if plain == fold(each.value) || slices.Contains(each.others, plain) {
			return each.value, nil
		}
		all = append(append(all, each.value), each.others...)
	}
	return "", fmt.Errorf("%s: %q is unknown%s; it must be one of: %s", argument, short(text), suggestion(text, all),
		strings.Join(w.values(), ", "))
}

// fold returns a text in lower case, without accents, with one space in place of everything but letters and digits.
func fold(text string) string {
	var out strings.Builder
	gap := false
	for _, r := range norm.NFD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && out.Len() > 0 {
				out.WriteByte(' ')
			}
			gap = false
			out.WriteRune(unicode.ToLower(r))
		default:
			gap = true
		}
	}
	return out.String()
}

// likeness says how many of the pairs of letters of a folded text a folded name has, from 0 to 1. The pairs that only
// the name has count a little, because names are longer than what people write of them.
func likeness(text, name string) float64 {
	pairs := func(text string) map[string]int {
		counted := map[string]int{}
		letters := []rune(" " + text + " ")
		for i := range len(letters) - 1 {
			counted[string(letters[i:i+2])]++
		}
		return counted
	}
	asked, named := pairs(text), pairs(name)
	shared, of, both := 0, 0, 0
	for pair, times := range asked {
		shared += min(times, named[pair])
		of += times
	}
	for _, times := range named {
		both += times
	}
	both += of
	return 0.75*float64(shared)/float64(of) + 0.25*2*float64(shared)/float64(both)
}

// nearest returns the names that are most like a text, the best first. It leaves out those that are not like it at all.
func nearest(text string, names []string, most int) []string {
	type scored struct {
		name  string
		score float64
	}
	plain := fold(text[:min(len(text), 200)])
	var like []scored
	for _, name := range names {
		if score := likeness(plain, fold(name)); score > 0.4 {
			like = append(like, scored{name, score})
		}
	}
	slices.SortStableFunc(like, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	var best []string
	for _, each := range like {
		if len(best) < most && !slices.Contains(best, each.name) {
			best = append(best, each.name)
		}
	}
	return best
}

// suggestion is the part of an error that names the nearest value.
func suggestion(text string, names []string) string {
	if best := nearest(text, names, 1); len(best) > 0 {
		return fmt.Sprintf(" (did you mean %s?)", best[0])
	}
	return ""
}

// short bounds a text of the caller in an error.
func short(text string) string {
	if len(text) > 80 {
		return strings.ToValidUTF8(text[:80], "") + "…"
	}
	return text
}
