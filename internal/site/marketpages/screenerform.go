package marketpages

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"cuota/internal/httpapi"
	"cuota/internal/site"
	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/market"
)

// screenerForm is the form of the filters. A filter of the operation that this file does not
// know is a field too, with the name and the description of the parameter.
type screenerForm struct {
	Fields  []formField
	ForWhom []formField // a group of its own
	More    []formField
	Open    bool // something is wrong in a field
	Hidden  []namedText
	Clear   string // address without filters
}

// formField is a field of a form.
type formField struct {
	ID, Name, Label, Hint string
	Kind                  string // of the element: select, text, number or date
	Value                 string
	Options               []formOption // of a select
	Listed                []string     // texts that are offered
	Least, Most           string       // bounds of a number, a date, or the length of a text
	Wrong                 string
}

type formOption struct {
	Value, Text string
	Selected    bool
}

// IsItsText reports whether a browser sends the value for an option that has only the text. It sends the text
// without the spaces around it, and one space for several.
func (o formOption) IsItsText() bool { return o.Value == strings.Join(strings.Fields(o.Text), " ") }

// fieldProblem is something wrong with a parameter.
type fieldProblem struct {
	Name, Label, Text string
	Field             string // id of its field; "" if it has none
	Foreign           bool   // the text is English in a Spanish page
	Links             []chosenFilter
}

// optionsOf returns the options of each parameter.
func optionsOf(choices []market.Choice) map[string][]formOption {
	options := map[string][]formOption{}
	for _, each := range choices {
		options[each.Parameter] = append(options[each.Parameter], formOption{Value: each.Value, Text: each.Value})
	}
	return options
}

// fieldWords are the label of a filter, and what it means.
type fieldWords struct{ label, hint locale.Phrase }

// screenerFields begin the form, in this order: the filters that people need most. The other ones follow.
var screenerFields = []string{"q", "category", "currency", "fund_family", "administrator", apiSort, apiOrder}

// forWhomFields are the filters that say for whom a series is. Each leaves out series of which no source states it.
var forWhomFields = []string{"investor_class", "apv", "digital", "qualified"}

// screenerNoField are parameters without a field in the form.
var screenerNoField = []string{apiLimit, apiOffset, apiBatch, apiFormat, apiFields}

// fieldID is the id of the field of a parameter.
func fieldID(name string) string { return "campo-" + name }

// screenerWords are the words for the parameters.
var screenerWords = map[string]fieldWords{
	"q":              {label: locale.Phrase{"Fondo o RUN", "Fund or RUN"}},
	"category":       {label: locale.Phrase{"Categoría", "Category"}},
	"currency":       {label: locale.Phrase{"Moneda", "Currency"}},
	"investor_class": {label: locale.Phrase{"Clase de inversionista", "Investor class"}},
	"apv": {locale.Phrase{"Ahorro previsional voluntario (APV)", "Voluntary pension savings (APV)"},
		locale.Phrase{"Según la AAFM, o por su clase", "As the AAFM states, or by its class"}},
	"digital": {locale.Phrase{"Serie digital", "Digital series"},
		locale.Phrase{"Como la marca la CMF", "As the CMF marks it"}},
	"qualified": {locale.Phrase{"Inversionistas calificados", "Qualified investors"},
		locale.Phrase{"Según la categoría de la AAFM", "By the category of the AAFM"}},
	"fund_family":   {label: locale.Phrase{"Familia", "Family"}},
	"administrator": {label: locale.Phrase{"Administradora", "Manager"}},
	"tac_kind": {locale.Phrase{"Tipo de TAC", "Kind of TAC"},
		locale.Phrase{"Solo la sintética cuenta los costos de los fondos en que invierte el fondo",
			"Only the synthetic one counts the costs of funds that the fund holds"}},
	"cmf_family": {locale.Phrase{"Familia calificada", "Rated family"},
		locale.Phrase{"Se necesita para ordenar por esferas", "Needed to sort by spheres"}},
	"cmf_investor_type": {locale.Phrase{"Clase calificada", "Rated class"},
		locale.Phrase{"Se necesita para ordenar por esferas", "Needed to sort by spheres"}},
	"cmf_spheres_min": {locale.Phrase{"Esferas, desde", "Spheres, from"},
		locale.Phrase{"De 1 a 5; deja fuera las series sin calificación",
			"From 1 to 5; leaves out series without a rating"}},
	"cmf_spheres_max": {locale.Phrase{"Esferas, hasta", "Spheres, to"},
		locale.Phrase{"De 1 a 5; deja fuera las series sin calificación",
			"From 1 to 5; leaves out series without a rating"}},
	heldKey: {locale.Phrase{"Partícipes y patrimonio", "Shareholders and equity"},
		locale.Phrase{"Como los informa el archivo más reciente", "As the newest file states them"}},
	apiSort: {locale.Phrase{"Ordenar por", "Sort by"},
		locale.Phrase{"Las rentabilidades necesitan una moneda", "Returns need a currency"}},
	apiOrder: {label: locale.Phrase{"Sentido", "Order"}},
	apiAsOf: {locale.Phrase{"A una fecha pasada", "At a past date"},
		locale.Phrase{"En blanco: lo más reciente", "Blank: the newest"}},
}

// The words for values. A value without words is shown as it is.
var (
	categoryWords = map[string]locale.Phrase{
		"money_market": {"Mercado monetario (corto plazo)", "Money market (short term)"}, "fixed_income": {"Renta fija", "Fixed income"},
		"balanced": {"Balanceado", "Balanced"}, "equity": {"Accionario", "Stocks"},
		"structured": {"Estructurado", "Structured"}, "other": {"Otro", "Other"},
	}
	currencyWords = map[string]locale.Phrase{"PESOS": {"Pesos", "Pesos"}, "DOLAR": {"Dólares", "Dollars"}}
	classWords    = map[string]locale.Phrase{
		"Retail":          {"Minorista (personas)", "Retail (individuals)"},
		"Alto Patrimonio": {"Alto patrimonio (grandes inversionistas)", "High net worth (large investors)"},
		"APV":             {"APV (ahorro previsional voluntario)", "APV (voluntary pension savings)"},
	}
	classNames = map[string]locale.Phrase{ // where the words about it have no room
		"Retail": {"Minorista", "Retail"}, "Alto Patrimonio": {"Alto patrimonio", "High net worth"}, "APV": {"APV", "APV"}}
	tacKinds = map[string]locale.Phrase{"synthetic": {"sintética", "synthetic"}, "stated": {"informada", "stated"},
		"computed": {"calculada", "computed"}}
	sortWords = map[string]locale.Phrase{
		"id": {"Id de la serie", "Id of the series"}, "tac": {"TAC de cualquier tipo", "TAC of any kind"},
		"tac_by_kind": {"TAC, por tipo", "TAC, by kind"}, "cmf_spheres": {"Esferas", "Spheres"},
		"1m": {"Rentabilidad de 1 mes", "Return of 1 month"}, "3m": {"Rentabilidad de 3 meses", "Return of 3 months"},
		"6m": {"Rentabilidad de 6 meses", "Return of 6 months"}, "1y": {"Rentabilidad de 1 año", "Return of 1 year"},
		"ytd":               {"Rentabilidad en el año", "Return of this year"},
		"3y_ann":            {"Rentabilidad anual de 3 años", "Yearly return of 3 years"},
		"5y_ann":            {"Rentabilidad anual de 5 años", "Yearly return of 5 years"},
		"last_closed_month": {"Rentabilidad del mes cerrado", "Return of the closed month"},
	}
	heldWords = map[string]locale.Phrase{"true": {"Con ambos", "With both"}, "false": {"Alguno es cero", "One of them is zero"},
		allHeld: {"Todas las series", "All series"}}
	apvWords = map[string]locale.Phrase{"true": {"Solo series para APV", "Only series for APV"},
		"false": {"Solo series que no son para APV", "Only series that are not for APV"}}
	digitalWords = map[string]locale.Phrase{"true": {"Solo series digitales", "Only digital series"},
		"false": {"Solo series que no son digitales", "Only series that are not digital"}}
	qualifiedWords = map[string]locale.Phrase{"true": {"Solo para inversionistas calificados", "Only for qualified investors"},
		"false": {"Solo de otras categorías", "Only of other categories"}}
	orderWords = map[string]locale.Phrase{"asc": {"de menor a mayor", "smallest first"},
		"desc": {"de mayor a menor", "greatest first"}}

	screenerValues = map[string]map[string]locale.Phrase{
		"category": categoryWords, "currency": currencyWords, "investor_class": classWords,
		"cmf_investor_type": classWords,
		"tac_kind":          tacKinds, apiSort: sortWords, apiOrder: orderWords, heldKey: heldWords,
		"apv": apvWords, "digital": digitalWords, "qualified": qualifiedWords,
	}
)

// worded returns the words for a value, or the value.
func worded(words map[string]locale.Phrase, value string) locale.Phrase {
	if known, there := words[value]; there {
		return known
	}
	return locale.Phrase{value, value}
}

// valueWords returns the words for a value of a parameter of the screener.
func (v *visit) valueWords(parameter, value string) string {
	if strings.HasSuffix(parameter, "_family") {
		return familyname.Spelt(value)
	}
	return worded(screenerValues[parameter], value).In(v.Lang)
}

// fieldLabel returns the label of a parameter, and what it means.
func (v *visit) fieldLabel(p httpapi.Parameter) (label, hint string) {
	words, known := screenerWords[p.Name]
	if !known {
		return p.Name, p.Description
	}
	return words.label.In(v.Lang), words.hint.In(v.Lang)
}

// screenerForm makes the form from the parameters of the operation. choices are the values of
// some of them.
func (v *visit) screenerForm(choices map[string][]formOption, problems []fieldProblem) (form screenerForm) {
	fields := map[string]formField{}
	listed := slices.Concat(screenerFields, forWhomFields)
	var rest []string
	for _, p := range v.Batch.Parameters(screenerOperation) {
		if p.In != "query" || slices.Contains(screenerNoField, p.Name) {
			continue
		}
		if p.Name == apiSort { // the empty option stands for what the page shows without sort
			p.Default = usualSort
		}
		if p.Name == heldKey {
			p.Default = "true"
			choices[heldKey] = []formOption{{Value: "true"}, {Value: "false"}, {Value: allHeld}}
		}
		field := v.formField(p, choices[p.Name])
		for _, problem := range problems {
			if problem.Name == p.Name {
				field.Wrong = sentence(problem.Text)
			}
		}
		form.Open = form.Open || field.Wrong != ""
		fields[p.Name] = field
		if !slices.Contains(listed, p.Name) {
			rest = append(rest, p.Name)
		}
	}
	known := func(names []string) (list []formField) {
		for _, name := range names {
			if field, there := fields[name]; there {
				list = append(list, field)
			}
		}
		return list
	}
	form.Fields, form.ForWhom, form.More = known(screenerFields), known(forWhomFields), known(rest)
	for _, key := range []string{columnsKey, sourceKey} {
		if chosen := v.Text(key); chosen != "" {
			form.Hidden = append(form.Hidden, namedText{key, chosen})
		}
	}
	if v.Chosen {
		form.Hidden = append(form.Hidden, namedText{site.LanguageKey, string(v.Lang)})
	}
	form.Clear = v.Visit.Link(v.Path, columnsKey, v.Text(columnsKey))
	return form
}

// sentence begins a text with a capital letter, and ends it with a full stop.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}

// formField makes the field of one parameter.
func (v *visit) formField(p httpapi.Parameter, choices []formOption) formField {
	f := formField{ID: fieldID(p.Name), Name: p.Name, Kind: "text", Value: v.Text(p.Name), Most: bound(p, "maxLength")}
	f.Label, f.Hint = v.fieldLabel(p)
	if listed, has := p.Schema["enum"].([]string); has {
		for _, value := range listed {
			choices = append(choices, formOption{Value: value, Text: value})
		}
	}
	if typeOf(p) == "boolean" && len(choices) == 0 {
		choices = []formOption{{Value: "true"}, {Value: "false"}}
	}
	switch {
	case p.Name == apiAsOf:
		f.Kind, f.Name, f.Value, f.Most = "date", dateKey, v.Date(), ""
		if cutoff := v.Batch.Cutoff(); cutoff != nil {
			f.Most = cutoff.String()
		}
	case p.Name == "administrator": // any part of a name selects
		for _, each := range choices {
			f.Listed = append(f.Listed, each.Value)
		}
	case len(choices) > 0:
		f.Kind, f.Options = "select", v.selectOptions(p, choices, f.Value)
	case typeOf(p) == "integer":
		f.Kind, f.Least, f.Most = "number", bound(p, "minimum"), bound(p, "maximum")
	}
	return f
}

// selectOptions returns the options of a select. The empty one stands for the default, or for
// any value. A value of the address that is none of them becomes one more.
func (v *visit) selectOptions(p httpapi.Parameter, choices []formOption, chosen string) []formOption {
	options := []formOption{{Text: v.Say("Cualquiera", "Any"), Selected: chosen == ""}}
	found := chosen == ""
	for _, each := range choices {
		each.Text = locale.Shown(v.valueWords(p.Name, each.Value))
		if fallback, has := p.Default.(string); has && each.Value == fallback {
			options[0].Text = each.Text
			options[0].Selected = options[0].Selected || chosen == fallback
			found = found || chosen == fallback
			continue
		}
		each.Selected = !found && strings.EqualFold(each.Value, chosen)
		found = found || each.Selected
		options = append(options, each)
	}
	if !found {
		options = append(options, formOption{Value: chosen, Text: locale.Shown(chosen), Selected: true})
	}
	return options
}

// bound returns a bound of a parameter's schema as text, and "" if it has none.
func bound(p httpapi.Parameter, name string) string {
	if value, has := p.Schema[name]; has {
		return fmt.Sprint(value)
	}
	return ""
}

// typeOf returns the type of a parameter's values besides null.
func typeOf(p httpapi.Parameter) string {
	if types, several := p.Schema["type"].([]string); several {
		return types[0]
	}
	name, _ := p.Schema["type"].(string)
	return name
}

// chosenFilters lists the filters of the address with links that remove them.
func (v *visit) chosenFilters(form screenerForm) (list []chosenFilter) {
	for _, f := range slices.Concat(form.Fields, form.ForWhom, form.More) {
		if f.Value == "" || f.Name == apiSort || f.Name == apiOrder {
			continue
		}
		text := f.Value
		if day, err := time.Parse(time.DateOnly, f.Value); err == nil && f.Kind == "date" {
			text = v.Lang.Day(model.DateOf(day))
		}
		for _, o := range f.Options {
			if o.Selected {
				text = o.Text
			}
		}
		list = append(list, chosenFilter{f.Label + ": " + locale.Shown(text),
			v.Here(f.Name, "", apiOffset, "", apiBatch, "")})
	}
	return list
}

// screenerProblems says what is wrong with the address, and what to choose.
func (v *visit) screenerProblems(wrong httpapi.Invalid) (list []fieldProblem) {
	labels := map[string]string{}
	for _, p := range v.Batch.Parameters(screenerOperation) {
		labels[p.Name], _ = v.fieldLabel(p)
	}
	for _, w := range wrong {
		name := ""
		if len(w.Loc) > 0 {
			name = w.Loc[len(w.Loc)-1]
		}
		p := fieldProblem{Name: name, Label: cmp.Or(labels[name], name), Text: w.Msg, Foreign: v.Lang != locale.English}
		if labels[name] != "" && !slices.Contains(screenerNoField, name) {
			p.Field = fieldID(name)
		}
		text, known := site.ViolationText(w.Type)
		switch {
		case w.Type == "missing" && name == "currency":
			text, known = locale.Phrase{
				"para ordenar por rentabilidad hay que elegir una, porque las rentabilidades en monedas distintas no " +
					"se comparan",
				"choose one to sort by return, because returns in different currencies cannot be compared"}, true
			for _, currency := range []string{"PESOS", "DOLAR"} {
				p.Links = append(p.Links, chosenFilter{currencyWords[currency].In(v.Lang),
					v.Here("currency", currency, apiOffset, "", apiBatch, "")})
			}
		case w.Type == "missing":
			text, known = locale.Phrase{
				"para ordenar por esferas hay que elegir la familia y la clase, porque la CMF compara solo dentro de " +
					"ellas",
				"choose the family and the class to sort by spheres, because the CMF compares only within them"}, true
		case name == "cmf_spheres_min" && w.Type == "value_error":
			text, known = locale.Phrase{"no puede ser mayor que el otro extremo", "must not be above the other bound"},
				true
		}
		if known {
			p.Text, p.Foreign = text.In(v.Lang), false
		}
		list = append(list, p)
	}
	return list
}
