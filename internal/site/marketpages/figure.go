package marketpages

import (
	"math"
	"strconv"
	"strings"
	"time"

	"cuota/internal/santiago"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/summary"
)

// The functions of this file give cells. A nil value is a dash with the reason that is given.

// word is a cell with a text.
func word(text string) cell { return cell{Text: locale.Shown(text), Word: text} }

// linked is a cell with a text that leads to another page.
func linked(text, link string) cell { return cell{Text: locale.Shown(text), Word: text, Link: link} }

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
	c := v.points(change, v.tooFew())
	c.Sub = v.shortCoverage(of)
	return c
}

// officialReturn is a cell with a mean return that the regulator states of a family, with its coverage as in changeOf.
func (v *visit) officialReturn(of summary.OfficialReturn) cell {
	if of.Coverage.Series == 0 {
		return missing(v.Say("la CMF no informa ninguna", "the CMF states none"))
	}
	c := v.change(of.Value, v.tooFew())
	c.Sub = v.shortCoverage(of.Coverage)
	return c
}

// tooFew says why a figure of a family is not shown.
func (v *visit) tooFew() string {
	return v.Say("se conoce de muy poco: se muestra con al menos tres series de dos fondos y la mitad del patrimonio",
		"too little is known: it is shown for at least three series of two funds and half of the equity")
}

// coverageText says of how many series a figure is, and which part of the equity they hold.
func (v *visit) coverageText(of summary.Coverage) string {
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
