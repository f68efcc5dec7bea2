package marketpages

import (
	"context"
	"slices"
	"strconv"

	"cuota/internal/httpapi"
	"cuota/internal/site/locale"
	"cuota/query/explain"
	"cuota/query/receipt"
	"cuota/query/series"
)

const receiptPath = "/recibo"

// receiptPage shows from which lines of which files a number of a series follows: a return over the window that
// periodKey names, or else a quota.
var receiptPage = page{
	path: receiptPath, keys: []string{serieKey, periodKey, dateKey}, template: "receipt",
	load: func(ctx context.Context, v *visit) (any, error) {
		window, field := v.Text(periodKey), "price"
		if window != "" {
			field = "return"
		}
		if v.Text(serieKey) == "" {
			return nil, httpapi.Invalid{{Loc: []string{"query", serieKey}, Type: "missing",
				Msg: "Must be the id of a series"}}
		}
		found, err := find(ctx, v, explain.Explain, "series", v.Text(serieKey), "field", field, "window", window,
			"date", v.Date())
		if err != nil {
			return nil, err
		}
		of, err := find(ctx, v, series.Profile, "asset_id", v.Text(serieKey), "as_of_date", v.Date())
		if err != nil {
			return nil, err
		}
		made := found.Data.Attributes
		out := receiptView{Name: v.seriesTitle(of), Link: v.Link(seriesPath(of.ID), dateKey, v.Date()),
			What: v.explained(made.Subject), Value: v.receiptValue(made), Sum: v.receiptSum(made),
			Rule: receiptRules[made.Rule.ID].In(v.Lang), File: made.Rule.SQL}
		for i := range made.Inputs {
			out.Inputs = append(out.Inputs, v.inputView(i, &made.Inputs[i]))
		}
		return out, nil
	},
}

// receiptLink is the address of the receipt of a return of a series, or of its quota if there is no window.
func (v *visit) receiptLink(id, window, date string) string {
	return v.Link(receiptPath, serieKey, id, periodKey, window, dateKey, date)
}

type receiptView struct {
	Name, Link, What string
	Value            cell
	Sum              string // the formula with its numbers; "" where there is no value
	Rule, File       string
	Inputs           []inputView
}

// inputView is a quote that a receipt needs.
type inputView struct {
	Title, Says string
	Lines       table
}

// receiptRules are the rules of receipts in a few words, by their id.
var receiptRules = map[string]locale.Phrase{
	"which-value-of-several-counts": {"De todas las líneas sobre una serie y un día valen primero las que usan el nombre vigente " +
		"ese día, y de estas la del archivo publicado al último.",
		"Of all lines about a series and a day, those under the name that was valid on the day count first, and of these the one " +
			"whose file was published last."},
	"windows-and-the-quotes-that-stand-for-their-dates": {"A cada extremo del período lo representa el valor cuota más nuevo " +
		"hasta su fecha, de a lo más siete días antes. La rentabilidad es el valor final dividido por el inicial, menos 1; por " +
		"año, la raíz de ese cociente.",
		"At each end of the window stands the newest unit price up to its date, at most seven days older. The return is that at " +
			"the end divided by that at the start, less 1; per year, the root of this quotient."},
}

// explained says of what a receipt is.
func (v *visit) explained(of receipt.Subject) string {
	if of.Window == nil {
		return v.Say("Valor cuota del ", "Unit price of ") + v.Day(&of.Date)
	}
	name := *of.Window
	for _, w := range windowWords {
		if w.key == name {
			name = w.name.In(v.Lang)
		}
	}
	return v.Say("Rentabilidad del valor cuota, ", "Return of the unit price, ") + name + v.Say(", al ", ", as of ") +
		v.Day(&of.Date)
}

// receiptReasons are reasons that only receipts have.
var receiptReasons = map[string]locale.Phrase{
	"missing_quote": {"ningún archivo informa ese día", "no file states that day"},
	"invalid_quote": {"la línea de ese día no se puede usar", "the line of that day can't be used"},
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
	if of.Subject.Window == nil {
		return v.quoted(&value)
	}
	return v.change(&value, "")
}

// quoted is a cell with a quota.
func (v *visit) quoted(value *float64) cell { return v.number(value, 4, "") }

// receiptSum writes the formula of a receipt with its numbers.
func (v *visit) receiptSum(of receipt.Receipt) string {
	if of.Value == nil || of.Subject.Window == nil {
		return ""
	}
	number := func(input receipt.Input) string {
		value, err := strconv.ParseFloat(*input.Value, 64)
		if err != nil {
			return *input.Value
		}
		return v.quoted(&value).Text
	}
	sum := number(of.Inputs[0]) + " ÷ " + number(of.Inputs[1])
	if of.Unit == "fraction per year" {
		sum = "(" + sum + ")" + map[string]string{"3y_ann": "^(1/3)", "5y_ann": "^(1/5)"}[*of.Subject.Window]
	}
	return sum + " − 1 = " + v.receiptValue(of).Text
}

// inputTitles name the inputs of receipts.
var inputTitles = map[string]locale.Phrase{
	"quote": {"El valor cuota", "The unit price"},
	"end":   {"Valor cuota al final", "Unit price at the end"},
	"start": {"Valor cuota al inicio", "Unit price at the start"},
}

func (v *visit) inputView(place int, of *receipt.Input) inputView {
	out := inputView{Title: worded(inputTitles, of.Name).In(v.Lang)}
	switch {
	case of.Date == nil:
		out.Says = v.Say("No hay valor cuota hasta el ", "There is no unit price up to ") + v.Day(of.Target) + "."
	case of.Target == nil:
	case *of.Date == *of.Target:
		out.Says = v.Say("Del mismo día que pide el período, el ", "Of the very day of the window, ") + v.Day(of.Date) + "."
	default:
		days := of.Target.DaysSince(*of.Date)
		out.Says = v.Say("El período pide el ", "The window asks for ") + v.Day(of.Target) +
			v.Say("; el más nuevo hasta entonces es del ", "; the newest up to then is of ") + v.Day(of.Date) +
			", " + v.count(days).Text + map[bool]string{true: v.Say(" día antes.", " day before."),
			false: v.Say(" días antes.", " days before.")}[days == 1]
	}
	out.Lines = v.linesTable(place, of)
	return out
}

// linesTable shows every line that states a day.
func (v *visit) linesTable(place int, of *receipt.Input) table {
	t := table{
		ID: "lineas-" + strconv.Itoa(place+1), Caption: worded(inputTitles, of.Name).In(v.Lang) + v.Say(": líneas que lo informan", ": lines that state it"),
		Columns: []column{
			{Title: v.Say("Valor", "Value"), Numeric: true}, {Title: v.Say("¿Vale?", "Counts?")},
			{Title: v.Say("Archivo", "File")}, {Title: v.Say("Línea", "Line"), Numeric: true},
			{Title: v.Say("Publicado", "Published"),
				Hint: v.Say("Cuándo lo publicó la fuente, en hora de Santiago", "When the source published it, time of Santiago")},
			{Title: v.Say("Visto", "Seen"), Hint: v.Say("Cuándo se publicó el primer lote que lo tiene",
				"When the first batch that has it was published")},
		},
		Empty: v.Say("Ningún archivo informa ese día.", "No file states that day."),
	}
	for _, line := range slices.Backward(of.Lines) { // the newest first
		value := missing(v.Say("la línea no se pudo leer", "the line could not be read"))
		if line.Value != nil {
			if number, err := strconv.ParseFloat(*line.Value, 64); err == nil {
				value = v.quoted(&number)
			}
		}
		counts := word(v.Say("sí", "yes"))
		if !line.Counts {
			counts = word(v.Say("no, otra la reemplaza", "no, another one replaces it"))
		}
		file := optional(line.File, v.Say("no se guarda su nombre", "its name is not kept"))
		file.Sub = v.inWords(datasetWords, &line.Dataset, "").Text + " · hash " + line.SHA256[:min(12, len(line.SHA256))]
		seen := missing(v.Say("antes de que se guardara ese momento", "before that moment was kept"))
		if line.Seen != nil {
			seen = v.moment(*line.Seen)
		}
		t.Rows = append(t.Rows, row{Cells: []cell{value, counts, file, v.count(int(line.Line)),
			v.moment(line.Published), seen}})
	}
	return t
}
