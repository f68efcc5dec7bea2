package receipts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"cuota/cmd/cuota/output"
	"cuota/model"
	"cuota/query/receipt"
)

// textOf writes a receipt for a person at a terminal. fund is the name of the fund; "" if it is not known. It fails if
// the receipt contradicts itself.
func textOf(of *receipt.Receipt, fund, batch string) (string, error) {
	var p paper
	var value, formula string
	var err error
	if of.Value != nil {
		if value, err = valueWords(of); err != nil {
			return "", err
		}
		if of.Formula != nil && of.Formula.Op != "input" {
			if formula, err = of.Written(receipt.Notation{Minus: "-", Times: "*", Over: "/", Names: operations,
				Value: func(input *receipt.Input) string { return grouped(*input.Value) }}); err != nil {
				return "", err
			}
		}
	}
	p.title(of.Subject, fund)
	p.gap()
	switch {
	case of.Value == nil:
		p.write(2, "no value: "+word(of.Reason))
		p.write(2, reasonWords(word(of.Reason)))
	case strings.HasPrefix(of.Unit, "fraction"):
		p.write(2, value+" ("+*of.Value+")")
	case of.Peers != nil && of.Unit == "place":
		p.write(2, value+" of "+strconv.Itoa(of.Peers.Series))
	default:
		p.write(2, value)
	}
	p.write(2, "batch "+batch)
	p.gap()
	p.write(0, "Rule")
	p.write(2, of.Rule.Text)
	p.write(2, "docs/rules.md#"+of.Rule.ID)
	p.write(2, of.Rule.SQL)
	if formula != "" {
		p.gap()
		p.write(0, "Formula")
		p.write(2, formula+" = "+value)
		if strings.Contains(formula, receipt.Left) {
			p.write(2, receipt.Left+" stands for parts that are not shown. --json has all of them.")
		}
	}
	stated := false
	for rest := of.Inputs; len(rest) > 0; {
		alike, shown := receipt.Alike(rest), 0
		for i := range alike {
			if i >= mostAlike && rest[i].Value != nil {
				continue
			}
			shown++
			p.gap()
			p.input(of.Subject.Names, &rest[i], receipt.Stop(of.Inputs))
			stated = stated || len(rest[i].Lines) > 0
		}
		if alike > shown {
			p.gap()
			p.write(0, fmt.Sprintf("%s: %d of %d are shown. --json has all of them.", cmp.Or(inputs[rest[0].Name], rest[0].Name),
				shown, alike))
		}
		rest = rest[alike:]
	}
	if of.Peers != nil {
		p.gap()
		p.peers(of.Peers)
	}
	if stated {
		p.gap()
		p.write(0, "The publication of a file is when its source published it or, if that was not stated, when it was ingested.")
	}
	return p.text.String(), nil
}

// mostAlike is how many of the inputs that differ only in their days, as verified factors, or in their series are
// shown, and besides each that has no value: it may be why the receipt has none.
const mostAlike = 5

// width is that of a terminal, in columns.
const width = 80

// paper is a text of lines that fit a terminal.
type paper struct{ text strings.Builder }

func (p *paper) gap() { p.text.WriteByte('\n') }

// write writes words, broken into lines with an indent. No words are no line. A word that is too long for a line gets
// one of its own.
func (p *paper) write(indent int, words string) {
	column := 0
	for _, each := range strings.Fields(output.Visible(words)) {
		length := len([]rune(each))
		switch {
		case column == 0:
			p.text.WriteString(strings.Repeat(" ", indent))
			column = indent
		case column+1+length > width:
			p.text.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			p.text.WriteByte(' ')
			column++
		}
		p.text.WriteString(each)
		column += length
	}
	if column > 0 {
		p.gap()
	}
}

// whole writes words as one line, with each space that they have.
func (p *paper) whole(indent int, words string) {
	p.text.WriteString(strings.Repeat(" ", indent) + output.Visible(words) + "\n")
}

// title writes of what a receipt is.
func (p *paper) title(of receipt.Subject, fund string) {
	at := " at " + of.Date.String()
	if of.Date == noDate {
		at = " at the cutoff, which the batch does not have"
	}
	if of.Family != nil {
		p.write(0, "Family "+*of.Family)
		what := "Index of the family"
		if of.Field == "index_change" {
			what = "Change of the index of the family since the point before"
		}
		p.write(0, what+moneys[word(of.Currency)]+at)
		return
	}
	name := cmp.Or(fund, "Fund "+of.RUN)
	if len(of.Names) > 0 {
		name += ", series " + of.Names[0].Serie
	}
	p.write(0, name)
	p.write(0, "RUN "+of.RUN+", id of the series "+of.Series)
	for i := range of.Names {
		if i > 0 {
			p.write(0, "formerly series "+of.Names[i].Serie+untilWords(of.Names[i]))
		}
	}
	switch of.Field {
	case "price":
		p.write(0, "Quota"+at)
	case "tac":
		p.write(0, strings.TrimSpace("Annual cost rate (TAC) "+kinds[word(of.Kind)])+at)
	case "volatility_monthly_12m", "volatility_monthly_36m", "volatility_annualized_12m", "volatility_annualized_36m":
		words := strings.Split(of.Field, "_")
		p.write(0, "Volatility of "+strings.TrimSuffix(words[2], "m")+" months, "+words[1]+at)
	case "max_drawdown_36m":
		p.write(0, "Greatest fall of 36 months"+at)
	case "risk_score":
		p.write(0, "Risk score, which is a rank by volatility and greatest fall of 36 months,"+at)
	case "rank":
		p.write(0, "Place by price return over the window "+word(of.Window)+at)
	case "return":
		kind := "Price return "
		if word(of.Basis) == "total" {
			kind = "Return with distributions reinvested, "
		}
		p.write(0, kind+valuations[word(of.Valuation)]+" over the window "+word(of.Window)+at)
	default:
		p.write(0, of.Field+at)
	}
}

// peers writes among which series a place is, and where their list is.
func (p *paper) peers(of *receipt.Peers) {
	among := fmt.Sprintf("Series that are compared: %d", of.Series)
	if of.Family != nil {
		among += " of the family " + *of.Family
	}
	p.write(0, among+moneys[word(of.Currency)])
	p.write(2, "Each with its values and their receipts: GET")
	p.whole(2, of.Address)
	for _, out := range of.LeftOut {
		p.write(2, fmt.Sprintf("Left out: %d with the reason %s. %s", out.Series, out.Reason, reasonWords(out.Reason)))
	}
}

// operations are the names of operations in formulas.
var operations = map[string]string{"deviation": "deviation", "rounded": "rounded", "place": "place",
	"midrank": "smaller and half of equal ones"}

// noDate stands for the date of a receipt if the batch has no complete day.
var noDate = model.NewDate(2149, 6, 6)

func untilWords(name receipt.Name) string {
	if name.Until == nil {
		return ""
	}
	return " until " + name.Until.String()
}

var (
	valuations = map[string]string{"accounting": "in the currency of the series", "clp": "in pesos",
		"real_uf": "above UF"}
	kinds = map[string]string{"synthetic": "of the synthetic kind", "stated": "of the stated kind",
		"computed": "computed from daily costs"}
	moneys = map[string]string{"PESOS": ", in pesos", "DOLAR": ", in dollars"}
	units  = map[string]string{"place": "", "PESOS": "pesos", "DOLAR": "dollars", "currency": "in a currency that the line does not state", "PESOS per quota": "pesos per quota", "DOLAR per quota": "dollars per quota",
		"currency per quota": "per quota, in a currency that the line does not state", "PESOS per UF": "pesos per UF", "PESOS per DOLAR": "pesos per dollar",
		"percent per year": "% per year", "quotas per quota": "new quotas for each old one",
		"currency of the series": "in the currency of the series"}
	inputs = map[string]string{"quote": "Quota", "end": "Quota at the end", "start": "Quota at the start",
		"end_fx": "Dólar at the end", "start_fx": "Dólar at the start", "end_uf": "UF at the end",
		"start_uf": "UF at the start", "rate": "Cost rate", "factor": "Verified factor (distribution times adjustment)",
		"exchange": "Exchange into another series", "costs": "Fees and expenses of the day",
		"bearing_equity": "Equity that bore the costs", "equity_before": "Equity of the day before",
		"level_before": "Level of the point before, which has a receipt of its own", "member_end": "Quota of a series of the family at the end",
		"member_start": "Quota of a series of the family at the start", "member_equity": "Equity of a series of the family at the start",
		"member_factor": "Factors that the cartola states of a series of the family (ajuste times reparto)",
		"peak":          "Highest quota before the fall", "trough": "Lowest quota of the fall",
		"month_end": "Quota of a month end", "stated_factor": "Factors that the cartola states (ajuste times reparto)"}
	reasons = map[string]string{
		"missing_quote":       "No file states a quota of the series on that day.",
		"invalid_quote":       "The line that counts on that day has no quota that can be used.",
		"no_cost_rate":        "No cost rate of the series is in force at that date.",
		"no_index_point":      "The index of the family has no point on that day, or the family has no index in that currency.",
		"no_index_change":     "The index begins on that day, or carries on after more than seven days without a point.",
		"not_in_screener":     "The screener of that date does not have the series.",
		"other_family":        "The series is not of that family.",
		"no_risk_snapshot":    "The series has no month with a quote at its end up to that date.",
		"no_complete_cutoff":  "The batch has no complete day yet. Give a date with --date.",
		"unknown_currency":    "The currency of a quota is neither pesos nor dollars.",
		"currency_change":     "The currency of the series changed within the window.",
		"known_discontinuity": "The series has a break within the window, across which no return is computed.",
		"non_finite_return":   "The quotient is not a finite number.",

		"missing_monthly_return": "A month has no quote at its end, or a break across which no return is computed.",

		"missing_factor_coverage":         "A day after the start quote has no line of verified factors.",
		"factor_quote_mismatch":           "A verified factor is of another quota than that of its day.",
		"factor_currency_mismatch":        "A verified factor is of a quota in another currency.",
		"invalid_distribution_factor":     "A distribution factor is not from 1 to 1.5.",
		"unsupported_adjustment":          "An adjustment factor does not explain the change of the quota.",
		"duplicate_factor_date":           "The file that counts has two lines of factors for a day.",
		"ambiguous_continuation":          "The series was exchanged twice, so it is not known what is held.",
		"continuation_cycle":              "The exchanges lead back to an earlier series.",
		"continuation_limit":              "More than five exchanges follow each other.",
		"invalid_continuation":            "An exchange has no factor, dates or quota that can be used.",
		"origin_not_active_at_start":      "The series was exchanged on or before the day on which the window starts.",
		"ambiguous_exchange_distribution": "A factor is of the day of an exchange, so it is not known to whom it was paid.",
	}
	// Reasons that say what is wrong with an input of a return, as in stale_start_fx, are put together of these.
	faults = map[string]string{
		"missing": "There is no %s for the %s of the window.",
		"invalid": "The %s for the %s of the window can't be used.",
		"stale":   "The newest %s for the %s of the window is over 7 days old.",
	}
	things = map[string]string{"quote": "quota", "fx": "dólar", "uf": "UF"}
)

// reasonWords says why there is no value; "" if the reason is not known.
func reasonWords(reason string) string {
	parts := strings.Split(reason, "_")
	if len(parts) == 3 && faults[parts[0]] != "" && things[parts[2]] != "" {
		return fmt.Sprintf(faults[parts[0]], things[parts[2]], parts[1])
	}
	return reasons[reason]
}

// mostDigits is more than a number of 64 bits has before its point or after it.
const mostDigits = 400

// valueWords is the value of a receipt with its unit. A fraction is shown in percent, with four decimals.
func valueWords(of *receipt.Receipt) (string, error) {
	per, fraction := strings.CutPrefix(of.Unit, "fraction")
	if !fraction {
		return strings.TrimSpace(grouped(*of.Value) + " " + unitWords(of.Unit)), nil
	}
	value, err := decimal.NewFromString(*of.Value)
	switch {
	case err != nil:
		return "", err
	case max(value.Exponent(), -value.Exponent()) > mostDigits: // its text would fill the memory
		return "", fmt.Errorf("its value %.30s has too many digits", *of.Value)
	}
	return grouped(value.Shift(2).StringFixed(4)) + " %" + per, nil
}

func unitWords(unit string) string {
	if words, known := units[unit]; known {
		return words
	}
	return unit
}

// grouped puts commas between the thousands of a decimal text.
func grouped(text string) string {
	whole, rest, _ := strings.Cut(text, ".")
	digits := strings.TrimPrefix(whole, "-")
	var out strings.Builder
	out.WriteString(whole[:len(whole)-len(digits)])
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteByte(digits[i])
	}
	if rest != "" {
		out.WriteString("." + rest)
	}
	return out.String()
}

// input writes an input and every line that states it, the one that counts first. An exchange at stop is not followed.
func (p *paper) input(names []receipt.Name, of *receipt.Input, stop *model.Date) {
	title := cmp.Or(inputs[of.Name], of.Name)
	if of.Value != nil {
		title += ": " + grouped(*of.Value) + " " + unitWords(of.Unit)
	}
	p.write(0, title)
	if of.Held != nil && len(of.Held.Names) > 0 && receipt.OfMember(of) {
		p.write(2, "Of series "+of.Held.Names[0].Serie+" of fund "+of.Held.RUN+".")
		names = of.Held.Names
	} else if of.Held != nil && len(of.Held.Names) > 0 {
		p.write(2, "From the exchange on, the quotas are those of series "+of.Held.Names[0].Serie+" of fund "+of.Held.RUN+".")
		names = of.Held.Names
	}
	switch {
	case of.Name == "end" && of.Date == nil && stop != nil:
		p.write(2, "Not judged: the exchange of "+stop.String()+" is not followed.")
	case of.NotFollowed() && of.Date != nil:
		p.write(2, "The exchange of "+of.Date.String()+" is not followed.")
	default:
		p.write(2, dayWords(of))
	}
	var counting *receipt.Line
	for i := range of.Lines {
		if line := &of.Lines[i]; line.Counts {
			counting = line
			p.line(line, " "+unitWords(of.Unit), "counts", "")
		}
	}
	for i := range slices.Backward(of.Lines) { // the newest first
		if line := &of.Lines[i]; !line.Counts {
			p.line(line, "", "does not count", whyNot(names, of, line, counting)) // its unit may be another one
		}
	}
}

// dayWords says of which day an input is, and of which one it had to be.
func dayWords(of *receipt.Input) string {
	thing, wanted := "quota", "the day that the window asks for"
	switch {
	case of.Name == "factor":
		thing = "verified factor"
	case of.Name == "month_end":
		wanted = "the end of the month"
	case strings.HasSuffix(of.Name, "_fx"):
		thing, wanted = "dólar", "the day of the quota"
	case strings.HasSuffix(of.Name, "_uf"):
		thing, wanted = "UF", "the day of the quota"
	}
	switch {
	case of.Date == nil && of.Target == nil:
		return "There is none."
	case of.Date == nil && thing == "UF":
		return "There is no UF of " + of.Target.String() + ", " + wanted + "."
	case of.Date == nil:
		return "There is no " + thing + " on or before " + of.Target.String() + ", " + wanted + "."
	case of.Name == "level_before":
		return "Of " + of.Date.String() + "."
	case len(of.Lines) == 0:
		return "No file states the " + thing + " of " + of.Date.String() + "."
	case of.Name == "rate":
		return "Of the month that ends on " + of.Date.String() + "."
	case of.Target == nil:
		return "Of " + of.Date.String() + "."
	case *of.Date == *of.Target:
		return "Of " + of.Date.String() + ", " + wanted + "."
	}
	days := of.Target.DaysSince(*of.Date)
	unit := "days"
	if days == 1 {
		unit = "day"
	}
	return fmt.Sprintf("Of %s, %d %s before %s, %s.", of.Date, days, unit, of.Target, wanted)
}

// line writes a line of a file: whether it counts, and why not.
func (p *paper) line(of *receipt.Line, unit, counts, why string) {
	value := "no value"
	if of.Value != nil {
		value = grouped(*of.Value) + unit
	}
	if of.Void {
		value += ", which can't be used"
	}
	p.write(2, "- "+value+"; "+counts)
	p.write(4, why)
	file := "a file whose name is not kept"
	if of.File != nil {
		file = *of.File
	}
	p.whole(4, fmt.Sprintf("line %d of %s", of.Line, file))
	p.write(4, fmt.Sprintf("%s, sha256 %s", of.Dataset, of.SHA256[:min(12, len(of.SHA256))]))
	seen := "before that moment was kept"
	if of.Seen != nil {
		seen = momentWords(*of.Seen)
	}
	p.write(4, "publication "+momentWords(of.Published)+", first seen "+seen)
}

func momentWords(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05.999 UTC") }

// whyNot says why a line does not count; "" if the receipt does not tell. It compares what the order of lines compares,
// in the same order; RULES 1.
func whyNot(names []receipt.Name, of *receipt.Input, line, counting *receipt.Line) string {
	if counting == nil || of.Date == nil {
		return ""
	}
	if of.Name == "exchange" {
		return "because another line comes later in the order: revision of the exchange, publication, hash, line"
	}
	name, newer := word(line.Serie), word(counting.Serie)
	valid, validCounting := wasValid(names, name, *of.Date), wasValid(names, newer, *of.Date)
	switch {
	case name != newer && validCounting && !valid:
		return "because the series was not called " + name + " on that day"
	case name != newer && valid == validCounting:
		return "because " + newer + " is the newer name of the series"
	case name != newer:
	case line.Published.Before(counting.Published):
		return "because the line that counts has the later publication"
	case line.Published.Equal(counting.Published) && line.SHA256 < counting.SHA256:
		return "because the file of the line that counts has the same publication and the greater hash"
	case of.Name == "factor" && line.SHA256 == counting.SHA256:
		return "because the file has two lines of factors for the day, so neither gives a factor"
	case line.SHA256 == counting.SHA256 && line.Line < counting.Line:
		return "because the line that counts comes later in the same file"
	}
	return ""
}

// wasValid reports whether a series had a name on a day.
func wasValid(names []receipt.Name, serie string, on model.Date) bool {
	return slices.ContainsFunc(names, func(name receipt.Name) bool {
		return name.Serie == serie && (name.From == nil || name.From.Compare(on) <= 0) &&
			(name.Until == nil || name.Until.Compare(on) >= 0)
	})
}

// word is a text that may be missing.
func word(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
