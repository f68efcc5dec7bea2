package marketpages

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"cuota/internal/httpapi"
	"cuota/internal/site/chart"
	"cuota/internal/site/familyname"
	"cuota/internal/site/locale"
	"cuota/model"
	"cuota/query/funds"
)

// benchmarksPage lists the benchmarks with which families are compared.
var benchmarksPage = page{
	path: "/benchmarks", keys: []string{dateKey}, template: "benchmarks",
	load: func(ctx context.Context, v *visit) (any, error) {
		list, err := find(ctx, v, funds.Benchmarks)
		if err != nil {
			return nil, err
		}
		t := table{
			ID: "indices", Caption: v.Say("Índices de referencia por familia", "Benchmarks by family"),
			Empty: v.Say("No se han cargado índices. Vienen en el conjunto de datos benchmarks.",
				"No benchmarks are loaded. They come with the dataset benchmarks."),
			Columns: []column{
				{Title: v.Say("Familia", "Family")}, {Title: v.Say("Índice", "Index")},
				{Title: v.Say("Instrumento", "Instrument"),
					Hint: v.Say("Cuyo precio lo representa", "Whose price represents it")},
				{Title: v.Say("Símbolo", "Symbol")}, {Title: v.Say("Moneda", "Currency")},
			},
		}
		for _, b := range list.Data {
			of := b.Attributes
			t.Rows = append(t.Rows, row{Cells: []cell{
				familyCell(of.Family, v.Link(familyPath(of.Family))),
				linked(locale.Bound(of.Index), v.Link(benchmarkPath(of.Family))),
				optional(of.Instrument, v.Say("se usa el índice mismo", "the index itself is used")), word(of.Symbol),
				word(worded(moneyNames, of.Currency).In(v.Lang)),
			}})
		}
		return t, nil
	},
}

// benchmarkPage shows the benchmark of one family.
var benchmarkPage = page{
	path: "/benchmarks/{family}", keys: []string{dateKey}, template: "benchmark",
	load: func(ctx context.Context, v *visit) (any, error) {
		prices, err := find(ctx, v, funds.BenchmarkPrices, "family_rar", v.Text("family"))
		if err != nil {
			return nil, err
		}
		if !prices.Meta.HasBenchmark {
			return nil, httpapi.NotFound("This family has no benchmark. GET /api/benchmarks lists those that have one.")
		}
		day, err := v.givenDay()
		if err != nil {
			return nil, err
		}
		name, currency := locale.Bound(locale.Shown(benchmarkName(prices.Meta))), ""
		if prices.Meta.Currency != nil {
			currency = worded(moneyNames, *prices.Meta.Currency).In(v.Lang)
		}
		points := until(closes(prices), day)
		c := &lineChart{Chart: chart.Chart{ID: "precio", Title: v.Say("Cierre", "Close"), Unit: currency,
			Axis: chart.Automatic, Label: chart.NumberLabels(v.Lang), Description: v.span(points, 2)},
			Decimals: 2}
		if len(points) > 0 {
			c.Lines = []chart.Line{{Name: name, Points: points, Longest: longestOfDays}}
			c.Table = v.endsTable("precio-tabla", v.Say("Cierres de fin de mes", "Closes at the ends of months"), 2,
				c.Lines...)
			c.draw(v)
		}
		return benchmarkView{
			Name: name, Family: locale.Shown(familyname.Spelt(prices.Meta.Family)),
			FamilyLink: v.Link(familyPath(prices.Meta.Family)),
			Chart:      c, Last: v.lastValues(points, currency),
			Facts: []fact{
				{v.Say("Índice", "Index"), optional(prices.Meta.Index, v.Say("sin nombre", "without a name"))},
				{v.Say("Instrumento cuyo precio lo representa", "Instrument whose price represents it"),
					optional(prices.Meta.Instrument, v.Say("se usa el índice mismo", "the index itself is used"))},
				{v.Say("Símbolo", "Symbol"), optional(prices.Meta.Symbol, v.Say("sin símbolo", "without a symbol"))},
				{v.Say("Moneda", "Currency"),
					optional(&currency, v.Say("no se conoce la moneda", "the currency is unknown"))},
			},
		}, nil
	},
}

type benchmarkView struct {
	Name, Family, FamilyLink string
	Facts                    []fact
	Chart                    *lineChart
	Last                     table
}

func (b benchmarkView) charts() []*lineChart { return []*lineChart{b.Chart} }

// benchmarkName returns the name of the index, or its symbol.
func benchmarkName(of funds.BenchmarkMeta) string {
	if name := cmp.Or(of.Index, of.Symbol); name != nil {
		return *name
	}
	return familyname.Spelt(of.Family)
}

// closes are the prices of a benchmark.
func closes(prices funds.BenchmarkHistory) []chart.Point {
	points := make([]chart.Point, len(prices.Data))
	for i, of := range prices.Data {
		points[i] = chart.Point{Day: of.Date, Value: of.Close.InexactFloat64()}
	}
	return points
}

func benchmarkPath(family string) string { return "/benchmarks/" + url.PathEscape(family) }

// lastValues is a table of the newest values.
func (v *visit) lastValues(points []chart.Point, unit string) table {
	t := table{
		ID: "ultimos", Caption: v.Say("Últimos valores", "Last values"),
		Empty: v.Say("No hay valores hasta esa fecha.", "There are no values up to that date."),
		Columns: []column{{Title: v.Say("Fecha", "Date")},
			{Title: v.Say("Cierre", "Close"), Numeric: true, Unit: unit}},
	}
	newest := slices.Clone(points[max(0, len(points)-30):])
	slices.Reverse(newest)
	for _, p := range newest {
		t.Rows = append(t.Rows, row{Cells: []cell{v.day(&p.Day, ""), v.number(&p.Value, 2, "")}})
	}
	return t
}

// givenDay returns the date of the address, and nil if it has none. It is for pages whose operations
// take no date.
func (v *visit) givenDay() (*model.Date, error) {
	text := v.Date()
	if text == "" {
		return nil, nil
	}
	day, err := model.ParseDate(text)
	if err != nil {
		return nil, httpapi.Invalid{{Loc: []string{"query", dateKey}, Type: "date_from_datetime_parsing",
			Input: httpapi.Echo(text), Msg: "Must be a date, YYYY-MM-DD"}}
	}
	return &day, nil
}
