package marketpages_test

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"cuota/internal/site/locale"
	"cuota/model"
)

// chartedSeries is a series that the screener of the API lists.
type chartedSeries struct {
	ID         string `json:"id"`
	Attributes struct {
		Fund     string  `json:"fundName"`
		Serie    string  `json:"serie"`
		Family   *string `json:"fundFamily"`
		Currency *string `json:"currency"`
		Returns  struct {
			Periods map[string]struct {
				Value *float64    `json:"value"`
				Start *model.Date `json:"effective_start_date"`
				End   *model.Date `json:"effective_end_date"`
			} `json:"periods"`
		} `json:"returns"`
	} `json:"attributes"`
}

// ofYear reports whether the series has a return from a day to the last one of the market.
func (of chartedSeries) ofYear(from model.Date) bool {
	year := of.Attributes.Returns.Periods["1y"]
	return year.Value != nil && *year.Start == from && *year.End == marketEnd
}

func (c chartReader) listed(filter string) []chartedSeries {
	c.t.Helper()
	return fromAPI[struct{ Data []chartedSeries }](c.s, "/api/screener?limit=200"+filter).Data
}

// yearAgo is where a year up to the last day of the market begins.
var yearAgo = model.NewDate(marketEnd.Time().Year()-1, marketEnd.Time().Month(), marketEnd.Time().Day())

// lacking returns the days between the first and the last of some days that are not among them.
func lacking(days []model.Date) (lacks []model.Date) {
	for i := 1; i < len(days); i++ {
		for day := days[i-1].AddDays(1); day.Compare(days[i]) < 0; day = day.AddDays(1) {
			lacks = append(lacks, day)
		}
	}
	return lacks
}

// since leaves the days from one on.
func since(days []model.Date, first model.Date) []model.Date {
	return slices.DeleteFunc(days, func(day model.Date) bool { return day.Compare(first) < 0 })
}

// indexOf are the days of a family's index from a day on, with its levels.
func (c chartReader) indexOf(family, currency string, first model.Date) (days []model.Date, levels []float64) {
	c.t.Helper()
	for _, of := range fromAPI[struct {
		Data []struct {
			Date  model.Date `json:"date"`
			Value float64    `json:"value"`
		} `json:"data"`
	}](c.s, "/api/families/"+url.PathEscape(family)+"/index?currency="+currency+"&from_date="+first.String()).Data {
		days, levels = append(days, of.Date), append(levels, of.Value)
	}
	return days, levels
}

// shaded returns the days of a chart whose middle is shaded, and the parts of days that are shaded though the middle is
// not, or not though it is.
func (c chartReader) shaded(id string) (days, parts []string) {
	c.t.Helper()
	const found = `(svg => {
		const figure = svg.closest("figure"), first = Date.parse(figure.dataset.first), day = 86400000;
		const span = Math.round((Date.parse(figure.dataset.last) - first) / day), left = Number(svg.dataset.left);
		const wide = (Number(svg.dataset.right) - left) / span, band = svg.querySelector(".band");
		const inside = on => band.isPointInFill(new DOMPoint(left + wide * on, 100));
		const days = [], parts = [];
		if (!band || !band.checkVisibility() || getComputedStyle(band).fillOpacity === "0") return [days, parts];
		for (let on = 0; on <= span; on++) {
			const name = new Date(first + on * day).toISOString().slice(0, 10), is = inside(on);
			if (is) days.push(name);
			if (inside(on - .4) !== is || inside(on + .4) !== is) parts.push(name);
		}
		return [days, parts];
	})(%s)[%d]`
	return texts(c.t, c.b, fmt.Sprintf(found, drawn(id), 0)), texts(c.t, c.b, fmt.Sprintf(found, drawn(id), 1))
}

func shadesMissingDays(c chartReader) {
	single, long, whole := 0, 0, 0 // series that lack a day, lack a week or more, and lack none
	for _, of := range c.listed("") {
		all, _ := quotasOf(c.s, of.ID)
		days := since(all, yearAgo)
		if len(days) < 2 {
			continue
		}
		lacks := lacking(days)
		kind := &whole
		switch {
		case len(lacks) == 1:
			kind = &single
		case len(lacks) >= 7:
			kind = &long
		case len(lacks) > 0:
			continue
		}
		if *kind++; *kind > 3 {
			continue
		}
		var want []string
		for _, day := range lacks {
			want = append(want, day.String())
		}
		for _, width := range []int64{375, 1280} {
			c.opens(width, "light", "/series/"+of.ID+"?lang=es")
			for _, id := range []string{"caida", "crecimiento"} { // that of growth has lines of other days, too
				if got, parts := c.shaded(id); !slices.Equal(got, want) || len(parts) > 0 {
					c.t.Errorf("the chart %s of series %s at %d shades %v and in part %v; the API lacks %v", id, of.ID,
						width, got, parts, want)
				}
			}
			said := texts(c.t, c.b, `[...document.querySelectorAll('`+chartOf("caida")+` > .hint')].map(of => of.textContent)`)
			if says := strings.Contains(strings.Join(said, " "), "días sombreados"); says != (len(want) > 0) {
				c.t.Errorf("series %s lacks %v, and the page says %q", of.ID, want, said)
			}
		}
	}
	if single == 0 || long == 0 || whole == 0 {
		c.t.Errorf("%d series lack a day, %d lack a week, %d lack none: that proves too little", single, long, whole)
	}
}

// saysOneDay opens series of the demo, which have one day, alone and side by side.
func saysOneDay(c chartReader) {
	var ids []string
	for _, of := range c.listed("&currency=PESOS&held=true") {
		days, quotas := quotasOf(c.s, of.ID)
		if len(days) != 1 || len(ids) == 3 {
			continue
		}
		ids = append(ids, of.ID)
		c.opens(1280, "light", "/series/"+of.ID+"?lang=es")
		c.sees(fmt.Sprintf("Hay valor cuota de un solo día, el %s: %s pesos. Un gráfico necesita al menos dos.",
			plain(days[0]), locale.Spanish.Number(quotas[0], 4)))
		charts := texts(c.t, c.b, `[...document.querySelectorAll("figure.chart")].map(of => of.dataset.chart)`)
		if len(charts) > 0 {
			c.t.Errorf("series %s has the charts %q", of.ID, charts)
		}
	}
	if len(ids) < 3 {
		c.t.Fatalf("the demo has %d series with one day", len(ids))
	}
	c.opens(1280, "light", "/comparar?lang=es&series="+strings.Join(ids, ","))
	c.sees("Hay valor cuota de un solo día del período", "Un gráfico necesita al menos dos.")
	if n := number(c.t, c.b, `document.querySelectorAll("figure.chart").length`); n != 0 {
		c.t.Errorf("their comparison has %v charts", n)
	}
}

func namesWhatShrinksTheSpan(c chartReader) {
	var young *chartedSeries
	var began model.Date
	var old []chartedSeries
	for _, of := range c.listed("") {
		if of.ofYear(yearAgo) && len(old) < 9 {
			old = append(old, of)
			continue
		}
		if days, _ := quotasOf(c.s, of.ID); young == nil && len(days) > 30 && days[len(days)-1] == marketEnd &&
			days[0].Compare(yearAgo.AddDays(30)) > 0 {
			young, began = &of, days[0]
		}
	}
	if len(old) < 9 || young == nil {
		c.t.Fatalf("the market has %d old series, and the young one is %v", len(old), young)
	}
	count := map[model.Date]int{}
	var ids []string
	for _, of := range append(old, *young) {
		ids = append(ids, of.ID)
		days, _ := quotasOf(c.s, of.ID)
		for _, day := range days {
			count[day]++
		}
	}
	first := marketEnd
	for day, n := range count {
		if n == len(ids) && day.Compare(first) < 0 {
			first = day
		}
	}
	c.opens(1280, "light", "/comparar?lang=es&series="+strings.Join(ids, ","))
	c.sees("Hay diez series", "No es un año completo: "+young.Attributes.Fund+" · "+
		young.Attributes.Serie+" empieza más tarde que las demás: no hay valor cuota antes del "+plain(began)+".")
	got := texts(c.t, c.b, `(of => [of.first, of.last])(document.querySelector("figure.chart").dataset)`)
	if !slices.Equal(got, []string{first.String(), marketEnd.String()}) || first.Compare(began) < 0 {
		c.t.Errorf("the chart goes from %v, and all series have a quota from %s on", got, first)
	}
	c.clicks(`#crecimiento a.alone`)
	if got := texts(c.t, c.b, `[document.querySelector("figure.chart").dataset.first]`); got[0] != yearAgo.String() {
		c.t.Errorf("without it the chart begins on %s", got)
	}
}

// plain is a day as reader.sees reads it.
func plain(day model.Date) string { return strings.ReplaceAll(locale.Spanish.Day(day), "\u00a0", " ") }

// rates returns by what the UF and the dollar have multiplied over the year, from what the API says it converted with.
func (c chartReader) rates(pesos, dollars string) (uf, dollar float64) {
	c.t.Helper()
	type indicator struct {
		Value string `json:"value"`
	}
	type inputs struct {
		Day model.Date `json:"quota_date"`
		FX  *indicator `json:"fx"`
		UF  *indicator `json:"uf"`
	}
	over := func(id, valuation string, of func(inputs) *indicator) float64 {
		year := fromAPI[struct {
			Data struct {
				Attributes struct {
					Periods map[string]struct {
						Inputs struct{ Start, End inputs } `json:"inputs"`
					} `json:"periods"`
				} `json:"attributes"`
			} `json:"data"`
		}](c.s, "/api/real_assets/"+id+"/returns?valuation="+valuation).Data.Attributes.Periods["1y"].Inputs
		if year.Start.Day != yearAgo || year.End.Day != marketEnd {
			c.t.Fatalf("the year of series %s is from %s to %s", id, year.Start.Day, year.End.Day)
		}
		var values [2]float64
		for i, in := range []inputs{year.Start, year.End} {
			value, err := strconv.ParseFloat(of(in).Value, 64)
			must(c.t, err)
			values[i] = value
		}
		return values[1] / values[0]
	}
	return over(pesos, "real_uf", func(of inputs) *indicator { return of.UF }),
		over(dollars, "clp", func(of inputs) *indicator { return of.FX })
}

func convertsAllLines(c chartReader) {
	var compared []chartedSeries
	for currency, n := range map[string]int{"PESOS": 2, "DOLAR": 1} {
		for _, of := range c.listed("&currency=" + currency) {
			if of.ofYear(yearAgo) && of.Attributes.Family != nil && n > 0 {
				compared = append(compared, of)
				n--
			}
		}
	}
	slices.SortFunc(compared, func(a, b chartedSeries) int { // those in pesos first
		return strings.Compare(*b.Attributes.Currency, *a.Attributes.Currency)
	})
	if len(compared) != 3 {
		c.t.Fatalf("the market has too few series of a year: %v", compared)
	}
	uf, dollar := c.rates(compared[0].ID, compared[2].ID)
	if math.Abs(uf-1) < .001 || math.Abs(dollar-1) < .001 {
		c.t.Fatalf("the UF grows by %v and the dollar by %v: that proves nothing", uf, dollar)
	}
	inWords := map[string]string{"pesos": "pesos", "dolares": "dólares"}
	for money, unit := range map[string]float64{"pesos": 1, "dolares": dollar} {
		address := "/comparar?lang=es&linea=uf&linea=dolar&linea=familia&tasa=5&series="
		for _, of := range compared {
			address += of.ID + ","
		}
		c.opens(1280, "light", address)
		for _, choice := range texts(c.t, c.b, `[...document.querySelectorAll("#crecimiento .choices a")].
			map(of => of.getAttribute("href"))`) {
			if strings.Contains(choice, "moneda="+money) {
				c.clicks(`#crecimiento .choices a[href="` + choice + `"]`)
				break
			}
		}
		c.focus("crecimiento")
		c.says("crecimiento", locale.Spanish.Day(marketEnd)+": ")
		names, values := c.told("crecimiento")
		want := []float64{}
		for _, of := range compared {
			grown := yearOf(c.s, of.ID, "clp")
			if grown == nil {
				c.t.Fatalf("the API has no return of series %s in pesos", of.ID)
			}
			want = append(want, 100*(1+*grown)/unit)
		}
		begins := []string{"", "", "", "UF, ", "Dólar observado, ", "5 % al año"}
		want = append(want, 100*uf/unit, 100*dollar/unit, 105)
		currency := map[string]string{"pesos": "PESOS", "dolares": "DOLAR"}[money]
		family := *compared[0].Attributes.Family
		if days, levels := c.indexOf(family, currency, yearAgo); len(days) > 0 && days[0] == yearAgo {
			begins = append(begins, "Series en "+inWords[money]+" de la familia ")
			want = append(want, 100*levels[len(levels)-1]/levels[0])
		} else {
			c.sees("Series en "+inWords[money]+" de la familia", "no tienen índice al comienzo del período")
		}
		if len(values) != len(want) {
			c.t.Fatalf("in %s the lines are %q", money, names)
		}
		for i := range want {
			if err := agrees(values[i], &want[i]); err != nil || !strings.HasPrefix(names[i], begins[i]) {
				c.t.Errorf("in %s the line %d, %s: %v", money, i, names[i], err)
			}
			word := map[string]string{"pesos": "Pesos", "dolares": "Dólares"}[money]
			if i < 5 && !strings.HasSuffix(names[i], ", "+word) {
				c.t.Errorf("in %s the line %d is %s", money, i, names[i])
			}
		}
	}
}

func readsUnderAFinger(c chartReader) {
	of := c.listed("&currency=PESOS")
	at := slices.IndexFunc(of, func(of chartedSeries) bool { return of.ofYear(yearAgo) })
	days, quotas := quotasOf(c.s, of[at].ID)
	first := slices.Index(days, yearAgo)
	defer c.touches()()
	c.opens(375, "light", "/series/"+of[at].ID+"?lang=es")
	_, middle := c.inChart("crecimiento", .5)
	finger := func(part, y float64) *input.TouchPoint {
		x, _ := c.inChart("crecimiento", part)
		return &input.TouchPoint{X: x, Y: y}
	}
	c.touch(input.DispatchTouchEventTypeTouchStart, finger(.2, middle))
	read := 0
	for part := .25; part < .8; part += .05 {
		// The finger is on the middle of a day, so that its place says which.
		on := math.Round(part * float64(marketEnd.DaysSince(yearAgo)))
		under := yearAgo.AddDays(int(on))
		c.touch(input.DispatchTouchEventTypeTouchMove, finger(on/float64(marketEnd.DaysSince(yearAgo)), middle))
		c.says("crecimiento", locale.Spanish.Day(under)+": ")
		if at := slices.Index(days, under); at >= 0 {
			want := 100 * quotas[at] / quotas[first]
			if _, values := c.told("crecimiento"); agrees(values[0], &want) != nil {
				c.t.Errorf("under the finger, on %s, it says %q, want %v", under, values, want)
			}
			read++
		}
	}
	c.touch(input.DispatchTouchEventTypeTouchEnd)
	if read < 8 {
		c.t.Errorf("only %d days were read", read)
	}
	before := number(c.t, c.b, "scrollY")
	x, y := c.inChart("crecimiento", .5)
	y += 100
	c.touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x, Y: y})
	for range 20 {
		y -= 15
		c.touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: x, Y: y})
	}
	c.touch(input.DispatchTouchEventTypeTouchEnd)
	if _, err := chromedp.Run(c.b.Ctx, chromedp.Poll[bool](fmt.Sprintf("scrollY > %v", before+150))); err != nil {
		c.t.Errorf("a finger that moves up scrolls from %v to %v: %v", before, number(c.t, c.b, "scrollY"), err)
	}
}

// costMonths are the cost rates of a series by month, as fractions.
func costMonths(s *servedSite, id string) (rates []float64) {
	for _, of := range fromAPI[struct {
		Data []struct {
			Attributes struct {
				TAC *float64 `json:"expense_ratio"`
			} `json:"attributes"`
		} `json:"data"`
	}](s, "/api/real_assets/"+id+"/expense_ratio/history").Data {
		if of.Attributes.TAC != nil {
			rates = append(rates, *of.Attributes.TAC)
		}
	}
	return rates
}

func costsStartAtZero(c chartReader) {
	checked := 0
	for _, of := range c.listed("&sort=tac&order=desc") {
		rates := costMonths(c.s, of.ID)
		if len(rates) < 6 || slices.Min(rates) < slices.Max(rates)/2 || checked == 3 {
			continue // an axis that is cut would tell most of rates that hardly differ
		}
		checked++
		for _, width := range []int64{375, 1280} {
			c.opens(width, "light", "/series/"+of.ID+"?lang=es")
			const svg = "(svg => %s)(%s)"
			lowest := texts(c.t, c.b, fmt.Sprintf(svg, `[...svg.querySelectorAll("text")].filter(of => of.getAttribute("text-anchor") === "end"
				&& of.getAttribute("y") === svg.dataset.bottom).map(of => of.textContent)`, drawn("costos-grafico")))
			if len(lowest) != 1 || strings.Trim(lowest[0], "0,") != "" {
				c.t.Errorf("series %s at %d: the axis of costs begins at %q", of.ID, width, lowest)
			}
			// Heights are as costs: the last month stands to the highest as its rate does.
			want := rates[len(rates)-1] / slices.Max(rates)
			got := number(c.t, c.b, fmt.Sprintf(svg, `(line => {
				const up = y => Number(svg.dataset.bottom) - y, total = line.getTotalLength();
				const top = line.getBBox().y;
				return up(line.getPointAtLength(total).y) / up(top);
			})(svg.querySelector("path.line"))`, drawn("costos-grafico")))
			if math.Abs(got-want) > .005 {
				c.t.Errorf("series %s at %d: the last month stands at %v of the highest, want %v", of.ID, width, got, want)
			}
		}
	}
	if checked == 0 {
		c.t.Error("no series has costs that hardly differ")
	}
	family := c.listed("&currency=PESOS")
	at := slices.IndexFunc(family, func(of chartedSeries) bool { return of.Attributes.Family != nil })
	c.opens(1280, "light", "/familias/"+url.PathEscape(*family[at].Attributes.Family)+"?lang=es")
	across := texts(c.t, c.b, `[...document.querySelectorAll("figure.points svg text:not(.over)")].map(of => of.textContent)`)
	if len(across) < 2 || strings.Trim(across[0], "0,") != "" {
		c.t.Errorf("the points of a family stand over %q", across)
	}
}
