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
	opens := func(width int64, scheme, path string) {
		b.Looks(width, 900, scheme)
		b.Problems()
		r.loads(http.StatusOK, chromedp.Navigate(s.base+path))
	}
	chart := func(id string) string { return `figure[data-chart="` + id + `"]` }
	// says waits until the chart tells something that begins so, or not so, and returns it.
	says := func(t *testing.T, id, begin string) string {
		t.Helper()
		text := `document.querySelector('` + chart(id) + ` .pointed').textContent`
		until := fmt.Sprintf(`%s.startsWith(%q)`, text, begin)
		if other, is := strings.CutPrefix(begin, "not "); is {
			until = fmt.Sprintf(`%s && !%[1]s.startsWith(%q)`, text, other)
		}
		if _, err := chromedp.Run(b.Ctx, chromedp.Poll[bool](`Boolean(`+until+`)`)); err != nil {
			t.Fatalf("%v: the chart says %q, want %q; %q", err, texts(t, b, "["+text+"]"), begin, b.Problems())
		}
		return texts(t, b, `[document.querySelector('`+chart(id)+` .pointed').textContent]`)[0]
	}
	keys := func(t *testing.T, keys ...string) {
		t.Helper()
		for _, key := range keys {
			must(t, chromedp.Do(b.Ctx, chromedp.KeyEvent(key)))
		}
	}
	// inChart returns a point of the window that is such a part of the way through the days of a chart.
	inChart := func(t *testing.T, id string, part float64) (x, y float64) {
		t.Helper()
		do(t, b, `document.querySelector('`+chart(id)+`').scrollIntoView()`)
		at := func(edge string) float64 {
			return number(t, b, `(of => of.getBoundingClientRect().`+edge+`)([...document.querySelectorAll('`+chart(id)+
				` svg.lines')].find(of => of.getBoundingClientRect().width))`)
		}
		scale := at("width") / number(t, b, drawn(id)+".viewBox.baseVal.width")
		left, right := number(t, b, "Number("+drawn(id)+".dataset.left)"), number(t, b, "Number("+drawn(id)+".dataset.right)")
		return at("left") + scale*(left+(right-left)*part), at("top") + at("height")/2
	}
	point := func(t *testing.T, id string, part float64) {
		t.Helper()
		x, y := inChart(t, id, part)
		must(t, chromedp.Do(b.Ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y)))
	}
	focus := func(t *testing.T, id string) {
		t.Helper()
		do(t, b, `document.querySelector('`+chart(id)+` .knob').focus({focusVisible: true})`)
	}
	day := func(d model.Date) string { return locale.Spanish.Day(d) }

	t.Run("the arrow keys tell each day with the value of the API", func(t *testing.T) {
		opens(1280, "light", "/series/"+series[0]+"?lang=es")
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
		focus(t, "crecimiento")
		at := day(marketEnd)
		// reads checks what is told of the day that stands there, which begins or does not begin so.
		reads := func(begin string) {
			t.Helper()
			got := says(t, "crecimiento", begin)
			at, _, _ = strings.Cut(got, ":")
			want := at + ": valor cuota sin valor;"
			if value, quoted := told[at]; quoted {
				want = at + ": valor cuota " + value + ";"
			}
			if !strings.HasPrefix(got, want) {
				t.Errorf("it says %q, want %q", got, want)
			}
		}
		reads(at)
		for range 40 {
			keys(t, kb.ArrowLeft)
			reads("not " + at)
		}
		back := at
		keys(t, kb.ArrowLeft)
		reads("not " + at)
		keys(t, kb.ArrowRight)
		reads(back)
		keys(t, kb.Home)
		reads("not " + at)
		start := at
		keys(t, kb.ArrowRight)
		reads("not " + at)
		keys(t, kb.ArrowLeft, kb.ArrowLeft)
		reads(start)
		keys(t, kb.End, kb.ArrowRight)
		reads(day(marketEnd))
		if got := texts(t, b, `(of => [of.role, of.ariaValueText, of.ariaValueNow, of.ariaValueMax, document.activeElement === of ? "focused" : "", document.querySelector(".pointed").ariaLive])(document.querySelector('`+
			chart("crecimiento")+` .knob'))`); !slices.Equal(got, []string{"slider", at, got[3], got[3], "focused", "polite"}) {
			t.Errorf("the slider is %q", got)
		}
		for _, violation := range b.Violations(axe) {
			t.Errorf("while it reads: %s", violation)
		}
		keys(t, kb.Escape)
		if got := texts(t, b, `[document.querySelector(".pointed").textContent, document.querySelector(".cursor")?.outerHTML ?? ""]`); got[0]+got[1] != "" {
			t.Errorf("after Escape it says %q", got)
		}
		for _, noted := range b.Problems() {
			t.Error(noted)
		}
	})
	t.Run("the pointer tells all lines, and dots stand on them", func(t *testing.T) {
		for _, width := range []int64{375, 1280} {
			opens(width, "light", compare+"&linea=uf&tasa=5")
			point(t, "crecimiento", 1)
			got := says(t, "crecimiento", day(marketEnd)+": ")
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
			point(t, "crecimiento", 0)
			if got := says(t, "crecimiento", "not "+day(marketEnd)); strings.Count(got, " 100,00") != 6 {
				t.Errorf("at %d the first day is %q", width, got)
			}
		}
	})
	t.Run("a touch tells the lines, and what it tells stays", func(t *testing.T) {
		touching := emulation.SetTouchEmulationEnabledParams{Enabled: true}
		_, err := chromedp.Call(b.Ctx, emulation.SetTouchEmulationEnabled, touching)
		must(t, err)
		defer func() {
			_, err := chromedp.Call(b.Ctx, emulation.SetTouchEmulationEnabled,
				emulation.SetTouchEmulationEnabledParams{})
			must(t, err)
		}()
		opens(375, "light", compare)
		touch := func(kind input.DispatchTouchEventType, at ...*input.TouchPoint) {
			t.Helper()
			_, err := chromedp.Call(b.Ctx, input.DispatchTouchEvent,
				input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, at...)})
			must(t, err)
		}
		x, y := inChart(t, "crecimiento", 1)
		touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: x - 0.2, Y: y})
		touch(input.DispatchTouchEventTypeTouchEnd)
		got := says(t, "crecimiento", day(marketEnd)+": ")
		if strings.Count(got, ";") != 3 {
			t.Errorf("it says %q", got)
		}
		if still := says(t, "crecimiento", day(marketEnd)); still != got {
			t.Errorf("after the touch it says %q", still)
		}
	})
	t.Run("lines are switched off and on in the legend", func(t *testing.T) {
		opens(1280, "light", compare)
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
		focus(t, "crecimiento")
		if got := says(t, "crecimiento", day(marketEnd)); strings.Count(got, ";") != 2 {
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
		for _, width := range []int64{375, 700, 768, 1024, 1280, 1920} {
			opens(width, "light", compare+"&linea=uf&linea=familia&tasa=5")
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
		b.Scripts(false)
		defer b.Scripts(true)
		opens(1280, "light", compare)
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
	for _, width := range []int64{375, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			opens(width, scheme, compare+"&linea=uf&linea=familia&tasa=5")
			point(t, "crecimiento", .6)
			says(t, "crecimiento", "not —")
			b.Picture(fmt.Sprintf("chart-compare-%d-%s.png", width, scheme))
			opens(width, scheme, "/series/"+series[0]+"?lang=es&plazo=all")
			focus(t, "crecimiento")
			says(t, "crecimiento", day(marketEnd))
			b.Picture(fmt.Sprintf("chart-series-%d-%s.png", width, scheme))
		}
	}
}

// drawn is the drawing of a chart that is shown.
func drawn(id string) string {
	return `[...document.querySelectorAll('figure[data-chart="` + id + `"] svg.lines')].find(of => of.getBoundingClientRect().width)`
}
