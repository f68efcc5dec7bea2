package marketpages_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"cuota/internal/site/locale"
	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
)

// The values of days in charts, in one market because that takes longest.
func TestTheChartsAreReadDayByDay(t *testing.T) {
	longtest.InTurns(t)
	s := synthetic(t)
	axe := browsertest.Axe(t)
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
	})
	r := reader{t, s, b}
	_, err := chromedp.Call(b.Ctx, emulation.SetFocusEmulationEnabled,
		emulation.SetFocusEmulationEnabledParams{Enabled: true})
	must(t, err)
	var series, families []string
	for _, of := range fromAPI[struct {
		Data []struct {
			ID         string `json:"id"`
			Attributes struct {
				Family  *string `json:"fundFamily"`
				Returns struct {
					Periods apiPeriods `json:"periods"`
				} `json:"returns"`
			} `json:"attributes"`
		} `json:"data"`
	}](s, "/api/screener?limit=200&currency=PESOS").Data {
		if of.Attributes.Returns.Periods["1y"].Value != nil && of.Attributes.Family != nil && len(series) < 4 {
			series, families = append(series, of.ID), append(families, *of.Attributes.Family)
		}
	}
	if len(series) < 4 {
		t.Fatalf("the market has too few series of a year: %v", series)
	}
	compare := "/comparar?lang=es&series=" + strings.Join(series, ",")
	day := func(d model.Date) string { return locale.Spanish.Day(d) }

	t.Run("the arrow keys tell each day with the value of the API", func(t *testing.T) {
		c := chartReader{reader{t, s, b}}
		c.opens(1280, "light", "/series/"+series[0]+"?lang=es")
		days := fromAPI[struct {
			Data []struct {
				Attributes struct {
					Date  model.Date `json:"date"`
					Price float64    `json:"price"`
				} `json:"attributes"`
			} `json:"data"`
		}](s, "/api/real_assets/"+series[0]+"/days?limit=5000").Data
		first, base := marketEnd.AddDays(-365), 0.0
		told := map[string]string{} // of the days with a quota; others may have one of the other lines
		for _, of := range days {
			if of.Attributes.Date.Compare(first) < 0 {
				continue
			}
			if base == 0 {
				base = of.Attributes.Price
			}
			told[day(of.Attributes.Date)] = locale.Spanish.Number(of.Attributes.Price/base*100, 2)
		}
		c.focus("crecimiento")
		at := day(marketEnd)
		// reads checks what is told of the day that stands there, which begins or does not begin so.
		reads := func(begin string) {
			t.Helper()
			got := c.says("crecimiento", begin)
			at, _, _ = strings.Cut(got, ":")
			want := at + ": valor cuota en pesos sin valor;"
			if value, quoted := told[at]; quoted {
				want = at + ": valor cuota en pesos " + value + ";"
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("it says %q, want %q", got, want)
			}
		}
		reads(at)
		for range 40 {
			c.keys(kb.ArrowLeft)
			reads("not " + at)
		}
		back := at
		c.keys(kb.ArrowLeft)
		reads("not " + at)
		c.keys(kb.ArrowRight)
		reads(back)
		c.keys(kb.Home)
		reads("not " + at)
		start := at
		c.keys(kb.ArrowRight)
		reads("not " + at)
		c.keys(kb.ArrowLeft, kb.ArrowLeft)
		reads(start)
		c.keys(kb.End, kb.ArrowRight)
		reads(day(marketEnd))
		if got := texts(t, b, `(of => [of.role, of.ariaValueText, of.ariaValueNow, of.ariaValueMax, document.activeElement === of ? "focused" : "", document.querySelector(".pointed").ariaLive])(document.querySelector('`+
			chartOf("crecimiento")+` .knob'))`); !slices.Equal(got, []string{"slider", at, got[3], got[3], "focused", "polite"}) {
			t.Errorf("the slider is %q", got)
		}
		for _, violation := range b.Violations(axe) {
			t.Errorf("while it reads: %s", violation)
		}
		c.keys(kb.Escape)
		if got := texts(t, b, `[document.querySelector(".pointed").textContent, document.querySelector(".cursor")?.outerHTML ?? ""]`); got[0]+got[1] != "" {
			t.Errorf("after Escape it says %q", got)
		}
		for _, noted := range b.Problems() {
			t.Error(noted)
		}
	})
	t.Run("the pointer tells all lines, and dots stand on them", func(t *testing.T) {
		c := chartReader{reader{t, s, b}}
		for _, width := range []int64{375, 1280} {
			c.opens(width, "light", compare+"&linea=uf&tasa=5")
			c.point("crecimiento", 1)
			got := c.says("crecimiento", day(marketEnd)+": ")
			if strings.Count(got, ";") != 5 || !strings.Contains(got, "5 % al año ") || !strings.Contains(got, "UF, Pesos ") {
				t.Errorf("at %d it says %q", width, got)
			}
			// Each dot stands where the path of its line ends.
			if far := number(t, b, `Math.max(...[...`+drawn("crecimiento")+`.querySelectorAll(".cursor .dot")].map(dot => {
				const line = [...dot.closest("svg").querySelectorAll("path.line:not(.lead)")].find(of => of.classList.contains(dot.classList[1]));
				const end = line.getPointAtLength(line.getTotalLength());
				return Math.hypot(end.x - dot.cx.baseVal.value, end.y - dot.cy.baseVal.value);
			}))`); far > .3 {
				t.Errorf("at %d a dot is %v away from its line", width, far)
			}
			c.point("crecimiento", 0)
			if got := c.says("crecimiento", "not "+day(marketEnd)); strings.Count(got, " 100,00") != 6 {
				t.Errorf("at %d the first day is %q", width, got)
			}
		}
	})
	t.Run("a touch tells the lines, and what it tells stays", func(t *testing.T) {
		c := chartReader{reader{t, s, b}}
		defer c.touches()()
		c.opens(375, "light", compare)
		x, y := c.inChart("crecimiento", 1)
		c.touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x - 0.2, Y: y})
		c.touch(input.DispatchTouchEventTypeTouchEnd)
		got := c.says("crecimiento", day(marketEnd)+": ")
		if strings.Count(got, ";") != 3 {
			t.Errorf("it says %q", got)
		}
		if still := c.says("crecimiento", day(marketEnd)); still != got {
			t.Errorf("after the touch it says %q", still)
		}
	})
	t.Run("lines are switched off and on in the legend", func(t *testing.T) {
		c := chartReader{reader{t, s, b}}
		c.opens(1280, "light", compare)
		const button = `.legend button:nth-of-type(2)`
		r.selects(button)
		pressed := texts(t, b, `[...document.querySelectorAll(".legend button")].map(of => of.ariaPressed)`)
		if !slices.Equal(pressed, []string{"true", "false", "true", "true"}) {
			t.Errorf("the switches are %q", pressed)
		}
		shown := texts(t, b, `[...document.querySelectorAll("svg.lines .line:not(.lead)")].filter(of => of.checkVisibility()).map(of => of.classList[1])`)
		if slices.Sort(shown); !slices.Equal(shown, []string{"first", "fourth", "third"}) {
			t.Errorf("the lines are %q", shown)
		}
		c.focus("crecimiento")
		if got := c.says("crecimiento", day(marketEnd)); strings.Count(got, ";") != 2 {
			t.Errorf("with a line off it says %q", got)
		}
		for _, violation := range b.Violations(axe) {
			t.Errorf("with a line off: %s", violation)
		}
		r.selects(button)
		if n := number(t, b, `document.querySelectorAll("svg.lines [display]").length`); n != 0 {
			t.Errorf("%v shapes stay off", n)
		}
	})
	t.Run("names at the ends of lines stand apart inside the chart", func(t *testing.T) {
		c := chartReader{reader{t, s, b}}
		for _, width := range []int64{375, 700, 768, 1024, 1280, 1920} {
			c.opens(width, "light", compare+"&linea=uf&linea=familia&tasa=5")
			if wrong := texts(t, b, `(svg => {
				const box = svg.getBoundingClientRect(), names = [...svg.querySelectorAll("text.name")], found = [];
				const boxes = names.map(of => of.getBoundingClientRect());
				if (svg.classList.contains("narrow") ? names.length : names.length !== 7) found.push(names.length + " names");
				boxes.forEach((of, i) => {
					if (of.right > box.right + .5 || of.top < box.top || of.bottom > box.bottom) found.push(names[i].textContent + " leaves the chart");
					boxes.forEach((other, j) => {
						if (i < j && Math.abs(of.top - other.top) < of.height - 4) found.push(names[i].textContent + " covers " + names[j].textContent);
					});
				});
				return found;
			})(`+drawn("crecimiento")+`)`); len(wrong) > 0 {
				t.Errorf("at %d: %q", width, wrong)
			}
			for _, fault := range b.Faults() {
				t.Errorf("at %d: %s", width, fault)
			}
		}
	})
	t.Run("without scripts there is the table and no switch", func(t *testing.T) {
		c := chartReader{reader{t, s, b}}
		b.Scripts(false)
		defer b.Scripts(true)
		c.opens(1280, "light", compare)
		if got := texts(t, b, `[...document.querySelectorAll(".legend button, .knob")].map(of => of.outerHTML)`); len(got) > 0 {
			t.Errorf("there is %q", got)
		}
		if rows := number(t, b, `document.querySelectorAll("#crecimiento-tabla tbody tr").length`); rows < 12 {
			t.Errorf("the table has %v rows", rows)
		}
		r.selects(`input[name=linea][value=uf]`)
		r.clicks(`form.added button`)
		r.sees("UF, Pesos", "Comparar series")
	})
	t.Run("each chart has a file of values, and every page is small", func(t *testing.T) {
		for _, path := range []string{"/series/" + series[0] + "?plazo=all", compare, "/familias/" + strings.ReplaceAll(families[0], " ", "%20")} {
			status, _, body := s.get(path)
			if status != http.StatusOK || len(body) > 150_000 {
				t.Errorf("%s: %d, %d bytes", path, status, len(body))
			}
			before, query, _ := strings.Cut(path, "?")
			if status, header, body := s.get(before + "/grafico.json?" + query); status != http.StatusOK ||
				header.Get("Content-Type") != "application/json" || !strings.Contains(body, `"charts":{"`) {
				t.Errorf("the values of %s: %d %.200s", path, status, body)
			}
		}
	})
	for name, rule := range map[string]func(chartReader){
		"the days that the API lacks are shaded, and no others": shadesMissingDays,
		"of ten series the one that shrinks the span is named":  namesWhatShrinksTheSpan,
		"lines in pesos and in dollars end where the API ends":  convertsAllLines,
		"a finger reads along the chart and scrolls the page":   readsUnderAFinger,
		"the axis of costs starts at zero":                      costsStartAtZero,
	} {
		t.Run(name, func(t *testing.T) { rule(chartReader{reader{t, s, b}}) })
	}
	c := chartReader{r}
	for _, width := range []int64{375, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			c.opens(width, scheme, compare+"&linea=uf&linea=familia&tasa=5")
			c.point("crecimiento", .6)
			c.says("crecimiento", "not —")
			b.Picture(fmt.Sprintf("chart-compare-%d-%s.png", width, scheme))
			c.opens(width, scheme, "/series/"+series[0]+"?lang=es&plazo=all")
			c.focus("crecimiento")
			c.says("crecimiento", day(marketEnd))
			b.Picture(fmt.Sprintf("chart-series-%d-%s.png", width, scheme))
		}
	}
}
