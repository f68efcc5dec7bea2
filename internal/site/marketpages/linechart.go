package marketpages

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"cuota/internal/site/chart"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/series"
)

// lineChart is a line chart of a page, with the table of the same values that stands behind it. A
// script reads the value of each day from a file beside the page (valuesOf).
type lineChart struct {
	chart.Chart
	Table table
	Sum   string // what the lines did over the whole span; "" if nothing is said
	Note  string
	// Also are further values of its file, which are not drawn, and Files the links to it.
	Also  []chart.Line
	Files []tableFile

	Decimals int  // of the values of days
	Percent  bool // the values are fractions, which are told in percent
	Monthly  bool // each value is one of a month

	// OneDay tells the values in place of a chart, if they are of one day only. draw writes a text if it has none.
	OneDay string

	// draw sets these.
	Missing string // between which days values are missing
	Values  string // address of the values of days
	Batch   string
}

// The most days between neighbouring values of a line. Where there are more, values are missing.
const (
	longestOfRates  = 1  // the UF, the dólar of a day and a fixed rate are known on each calendar day
	longestOfQuotas = 1  // mutual funds have a quota on each calendar day (RULES 5)
	longestOfIndex  = 7  // an index of a family begins again after more (RULES 7)
	longestOfDays   = 10 // holidays of a market are shorter
	longestOfMonths = 45
)

// longestOf returns how many days there may be between the quotas of a series by the vehicle of its fund. Investment
// funds value their quotas on days of their own choice.
func longestOf(of series.Profiled) int {
	if textOf(of.Vehicle) == "investment_fund" {
		return longestOfDays
	}
	return longestOfQuotas
}

// The classes of the lines of a chart. Each has a colour and a pattern of its own.
var lineClasses = []string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
	"tenth"}

// draw computes the drawings. Values of only one day are a sentence instead.
func (c *lineChart) draw(v *visit) {
	c.Language, c.Batch, c.Values = v.Lang, v.Batch.ID(), v.valuesAddress()
	days := map[model.Date]bool{}
	for i := range c.Lines {
		if c.Lines[i].Class == "" {
			c.Lines[i].Class = lineClasses[i%len(lineClasses)]
		}
		for _, p := range c.Lines[i].Points {
			days[p.Day] = true
		}
	}
	if len(days) == 1 {
		if c.OneDay == "" {
			c.OneDay = c.onlyDay(v)
		}
		return
	}
	c.OneDay = ""
	c.Named = len(c.Lines) > 1
	c.Draw()
	c.Missing = c.missing(v)
}

// onlyDay tells the values of a chart that has only one day.
func (c *lineChart) onlyDay(v *visit) string {
	var parts []string
	var day model.Date
	for _, line := range c.Lines {
		for _, p := range line.Points {
			text := v.Lang.Number(p.Value, c.Decimals)
			if c.Percent {
				text = v.Lang.Percent(p.Value, c.Decimals)
			}
			if len(c.Lines) > 1 {
				text = line.Name + " " + text
			}
			parts, day = append(parts, text), p.Day
		}
	}
	if c.Monthly {
		return c.Title + v.Say(": solo se conoce el valor de ", ": only the value of ") + v.Lang.MonthInWords(day) +
			v.Say(", ", " is known, ") + strings.Join(parts, "; ") + "."
	}
	return c.Title + v.Say(": solo hay valor de un día, el ", ": there is a value of one day only, ") + v.Lang.Day(day) +
		": " + strings.Join(parts, "; ") + "."
}

// mostGaps is how many spans without values are named below a chart.
const mostGaps = 3

// missing says between which days values are missing.
func (c *lineChart) missing(v *visit) string {
	if len(c.Gaps) == 0 {
		return ""
	}
	dateText := v.Lang.Day
	if c.Monthly {
		dateText = v.Lang.MonthInWords
	}
	var parts []string
	for _, g := range c.Gaps[:min(mostGaps, len(c.Gaps))] {
		text := v.Say("entre ", "between ") + dateText(g.From) + v.Say(" y ", " and ") + dateText(g.To)
		if g.To.DaysSince(g.From) == 2 {
			text = v.Say("el ", "on ") + dateText(g.From.AddDays(1))
		}
		if len(c.Lines) > 1 {
			text = g.Line + " " + text
		}
		parts = append(parts, text)
	}
	text := v.Say("Sin valores (días sombreados): ", "Without values (shaded days): ") + strings.Join(parts, "; ")
	if more := len(c.Gaps) - mostGaps; more > 0 {
		text += v.Say(" y ", " and ") + v.Lang.Number(float64(more), 0) + v.Say(" veces más", " more times")
	}
	return text + "."
}

// Shown returns a value in the unit in which values are told.
func (c *lineChart) Shown(value float64) float64 {
	if c.Percent {
		return 100 * value
	}
	return value
}

// mostEnds is how many rows the table behind a chart has.
const mostEnds = 100

// endsOf returns the positions of the last point of each month, or of each quarter or year if there
// would be more than mostEnds.
func endsOf(points []chart.Point) []int {
	for _, months := range []int{1, 3} {
		if ends := endsOfSpans(points, months); len(ends) <= mostEnds {
			return ends
		}
	}
	ends := endsOfSpans(points, 12)
	return ends[max(0, len(ends)-mostEnds):]
}

func endsOfSpans(points []chart.Point, months int) []int {
	span := func(d model.Date) int {
		year, month, _ := d.Time().Date()
		return (year*12 + int(month) - 1) / months
	}
	var ends []int
	for i, p := range points {
		if i+1 == len(points) || span(points[i+1].Day) != span(p.Day) {
			ends = append(ends, i)
		}
	}
	return ends
}

// valuesFile is the last part of the address of the values of a page's charts.
const valuesFile = "/grafico.json"

// valuesAddress returns the address of the values of the charts of this page.
func (v *visit) valuesAddress() string {
	path, query, _ := strings.Cut(v.Here(addKey, ""), "?")
	if query != "" {
		query = "?" + query
	}
	return path + valuesFile + query
}

// charted is the data of a page with charts.
type charted interface{ charts() []*lineChart }

// valuesOf is the file with the value of each day of the charts of a page. It takes the parameters
// of the page. The page itself has not so many values, because ten lines over ten years are too
// much for it, and most readers never ask for them.
func valuesOf(of page) page {
	return page{
		path: of.path + valuesFile, keys: of.keys, more: of.more, minutely: of.minutely,
		file: &fileType{name: "grafico.json", content: "application/json",
			load: func(ctx context.Context, v *visit) ([]byte, error) {
				data, err := of.load(ctx, v)
				if err != nil {
					return nil, err
				}
				return json.Marshal(v.drawnValues(data.(charted).charts()))
			}},
	}
}

// drawnValues are the values of the charts of a page, and how numbers and dates are written.
type drawnValues struct {
	Batch  string                 `json:"batch"`
	Months [12]string             `json:"months"`
	Point  string                 `json:"point"` // before the decimals
	Group  string                 `json:"group"` // between thousands
	None   string                 `json:"none"`  // said of a line on a day without a value
	Charts map[string]chartValues `json:"charts"`
}

// chartValues are the values of one chart.
type chartValues struct {
	Decimals int          `json:"decimals"`
	Unit     string       `json:"unit"` // follows each value
	Monthly  bool         `json:"monthly"`
	Lines    []lineValues `json:"lines"`
}

// lineValues are the values of a line. Days count from the first day of the chart. The numbers are
// rounded as they are shown.
type lineValues struct {
	Name    string        `json:"name"`
	Class   string        `json:"class"`
	Longest int           `json:"longest"` // as in chart.Line
	Days    []int         `json:"days"`
	Values  []json.Number `json:"values"`
}

func (v *visit) drawnValues(charts []*lineChart) drawnValues {
	out := drawnValues{Batch: v.Batch.ID(), Months: v.Lang.MonthNames(), Point: v.Say(",", "."), Group: v.Say(".", ","),
		None: v.Say("sin valor", "no value"), Charts: map[string]chartValues{}}
	for _, c := range charts {
		if c == nil || len(c.Drawings) == 0 {
			continue
		}
		values := chartValues{Decimals: c.Decimals, Monthly: c.Monthly}
		if c.Percent {
			values.Unit = v.Say(locale.NoBreak+"%", "%")
		}
		for _, l := range c.Lines {
			line := lineValues{Name: locale.Shown(l.Name), Class: l.Class, Longest: l.Longest, Days: []int{},
				Values: []json.Number{}}
			for _, p := range l.Points {
				if shown := c.Shown(p.Value); !math.IsNaN(shown) && !math.IsInf(shown, 0) {
					line.Days = append(line.Days, p.Day.DaysSince(c.First))
					line.Values = append(line.Values, json.Number(strconv.FormatFloat(shown, 'f', c.Decimals, 64)))
				}
			}
			values.Lines = append(values.Lines, line)
		}
		out.Charts[c.ID] = values
	}
	return out
}
