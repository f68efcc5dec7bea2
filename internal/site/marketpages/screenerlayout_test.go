package marketpages_test

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/longtest"
)

// manyColumns are as many columns of the screener as a reader may choose, so that the table is wider than any window
// below 1280 pixels.
const manyColumns = "tac,category,family,currency,1m,3m,6m,ytd,1y,3y_ann,equity"

// The layout of the screener, in one market because that takes longest.
func TestTheScreenerShowsItsTableFirstAtEveryWidth(t *testing.T) {
	longtest.InTurns(t)
	s := synthetic(t)
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, s.base+"/") || strings.HasPrefix(address, "data:")
	})
	r := reader{t, s, b}
	// opens loads the screener in a window.
	opens := func(t *testing.T, width, height int64, query string) {
		t.Helper()
		r := reader{t, s, b}
		b.Looks(width, height, "light")
		r.loads(http.StatusOK, chromedp.Navigate(s.base+"/fondos?lang=es&"+query))
	}
	t.Run("ten rows are visible without scrolling at 1280 by 900", func(t *testing.T) {
		for _, query := range []string{"", "category=equity&currency=PESOS&investor_class=Retail",
			"columnas=" + manyColumns, "fecha=2025-03-31"} {
			opens(t, 1280, 900, query)
			if n := number(t, b, rowsInWindow); n < 10 {
				t.Errorf("/fondos?%s shows %v rows", query, n)
			}
		}
	})
	t.Run("nothing is wider than the window", func(t *testing.T) {
		for _, width := range []int64{320, 375, 500, 641, 768, 1024, 1279, 1280, 1440, 1919, 1920} {
			for _, query := range []string{"", "columnas=" + manyColumns, "columnas=tac", "currency=PESOS&q=accionario",
				"columnas=tac,category,currency,1m,6m,1y,3y_ann,5y_ann,equity,shareholders"} {
				opens(t, width, 900, query)
				for _, fault := range b.Faults() {
					t.Errorf("/fondos?%s at %d: %s", query, width, fault)
				}
				// With all panels open, too.
				do(t, b, `document.querySelectorAll("details").forEach(of => of.open = true)`)
				for _, fault := range b.Faults() {
					t.Errorf("/fondos?%s at %d with its panels open: %s", query, width, fault)
				}
				if cut := texts(t, b, cutCells); len(cut) > 0 {
					t.Errorf("/fondos?%s at %d cuts off %q", query, width, cut)
				}
			}
		}
	})
	t.Run("the usual table needs no scrolling from 1280 on and takes the whole width of 1920", func(t *testing.T) {
		for _, width := range []int64{1280, 1920} {
			opens(t, width, 900, "")
			got := number(t, b, `document.querySelector("#series").getBoundingClientRect().width`)
			if got < float64(width)-100 || got > float64(width) {
				t.Errorf("the table is %v wide in a window of %d", got, width)
			}
			if scrolls := number(t, b, `(of => of.scrollWidth - of.clientWidth)(`+box+`)`); scrolls > 0 {
				t.Errorf("at %d the table scrolls by %v", width, scrolls)
			}
		}
	})
	t.Run("the header stays while the rows scroll", func(t *testing.T) {
		for _, one := range []struct {
			width  int64
			query  string
			scroll string // what a wheel over the table scrolls first
		}{
			{1280, "", "window.scrollTo(0, 1500)"}, {1920, "", "window.scrollTo(0, 1500)"},
			{768, "", box + ".scrollTo(0, 1500)"}, {1280, "columnas=" + manyColumns, box + ".scrollTo(0, 1500)"},
		} {
			opens(t, one.width, 900, one.query)
			do(t, b, one.scroll)
			const title = `document.querySelector("#series thead th:nth-child(2)")`
			if !visible(t, b, title) {
				t.Errorf("/fondos?%s at %d: the header is gone", one.query, one.width)
			}
			if visible(t, b, `document.querySelector("#series tbody tr td")`) {
				t.Errorf("/fondos?%s at %d has not scrolled", one.query, one.width)
			}
		}
	})
	t.Run("a shadow at the bottom edge shows that more rows follow", func(t *testing.T) {
		// darkest is how dark the darkest of the lowest pixels of the table is, from 0 to 255, right of its first
		// column.
		darkest := func() (dark int) {
			t.Helper()
			at := numbers(t, b, `(of => {
				const bounds = of.getBoundingClientRect();
				return [scrollX + bounds.left + of.querySelector("tbody th").offsetWidth,
					scrollY + bounds.top + of.clientHeight - 4, of.clientWidth / 2];
			})(`+box+`)`)
			picture, err := chromedp.Call(b.Ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
				Format: page.CaptureScreenshotFormatPng, FromSurface: new(true),
				Clip: &page.Viewport{X: at[0], Y: at[1], Width: at[2], Height: 3, Scale: 1},
			})
			must(t, err)
			pixels, err := png.Decode(bytes.NewReader(picture.Data))
			must(t, err)
			counts := map[int]int{} // of the greys; letters are few
			for y := pixels.Bounds().Min.Y; y < pixels.Bounds().Max.Y; y++ {
				for x := pixels.Bounds().Min.X; x < pixels.Bounds().Max.X; x++ {
					counts[255-int(color.GrayModel.Convert(pixels.At(x, y)).(color.Gray).Y)]++
				}
			}
			for grey, n := range counts {
				if 5*n > pixels.Bounds().Dx() {
					dark = max(dark, grey)
				}
			}
			return dark
		}
		for _, width := range []int64{700, 768} {
			opens(t, width, 900, "")
			do(t, b, box+".scrollIntoView({block: 'end'})")
			if dark := darkest(); dark < 15 {
				t.Errorf("at %d the edge is %d dark while rows follow", width, dark)
			}
			do(t, b, box+".scrollTo(0, 100000)")
			if dark := darkest(); dark > 8 {
				t.Errorf("at %d the edge is %d dark below the last row", width, dark)
			}
		}
	})
	t.Run("the first column stays while the table scrolls sideways", func(t *testing.T) {
		for _, width := range []int64{700, 768, 1280} {
			opens(t, width, 900, "columnas="+manyColumns)
			do(t, b, box+".scrollTo(10000, 0)")
			for _, of := range []string{"thead th", "tbody th"} {
				if !visible(t, b, `document.querySelector("#series `+of+`")`) {
					t.Errorf("at %d the first column is gone: %s", width, of)
				}
			}
			if !visible(t, b, `document.querySelector("#series tbody td:last-child")`) ||
				number(t, b, box+".scrollLeft") == 0 {
				t.Errorf("at %d the table has not scrolled", width)
			}
		}
	})
	t.Run("at 375 each row is a card that a screen reader reads as a row", func(t *testing.T) {
		opens(t, 375, 740, "")
		if wide := number(t, b, `Math.max(...[...document.querySelectorAll("#series tbody td")].map(of =>
			of.getBoundingClientRect().right - document.querySelector("#series").getBoundingClientRect().right))`); wide > 0 {
			t.Errorf("a value stands %v outside of its card", wide)
		}
		labels := texts(t, b, `[...document.querySelectorAll("#series tbody tr:first-child td")].map(of =>
			getComputedStyle(of, "::before").content.slice(1, -1))`)
		titles := texts(t, b, `[...document.querySelectorAll("#series thead th")].slice(1).map(of =>
			[(of.querySelector("a") ?? of).firstChild.textContent.replace(/\s[▲▼]/, ""),
				...[...of.querySelectorAll(".sub")].map(unit => unit.textContent)].join(", "))`)
		if len(labels) < 8 || !slices.Equal(labels, titles) {
			t.Errorf("a card has the labels %q, want %q", labels, titles)
		}
		roles := texts(t, b, `["table", "thead", "tbody", "tr", "thead th", "tbody th", "td"].flatMap(of =>
			[...new Set([...document.querySelectorAll(of === "table" ? "#series" : "#series " + of)].map(of => of.role))])`)
		want := []string{"table", "rowgroup", "rowgroup", "row", "columnheader", "rowheader", "cell"}
		if !slices.Equal(roles, want) {
			t.Errorf("the roles are %q, want %q", roles, want)
		}
		if cards := number(t, b, `document.querySelectorAll("#series tbody tr").length`); cards != 50 {
			t.Errorf("there are %v cards", cards)
		}
	})
	t.Run("paper has the whole table and no filters", func(t *testing.T) {
		const landscape, portrait = 1047, 718 // A4 without its margins
		for _, width := range []int64{landscape, portrait} {
			opens(t, 1280, 900, "currency=PESOS&columnas="+manyColumns)
			b.Prints(width, 700)
			for _, fault := range b.Faults() {
				t.Errorf("paper of %d: %s", width, fault)
			}
			if outside := texts(t, b, `[...document.querySelectorAll("#series th, #series td")].filter(of =>
				of.getBoundingClientRect().right > innerWidth || !of.getBoundingClientRect().width
			).map(of => of.textContent)`); len(outside) > 0 && width == landscape {
				t.Errorf("paper of %d cuts off %q", width, outside[0])
			}
			rows := number(t, b, `[...document.querySelectorAll("#series tbody tr")].filter(of => of.offsetHeight).length`)
			bottom := number(t, b, `document.querySelector("#series").getBoundingClientRect().bottom -
				`+box+`.getBoundingClientRect().bottom`)
			if rows != 50 || bottom > 0 {
				t.Errorf("paper of %d has %v rows, and the table ends %v below its box", width, rows, bottom)
			}
			stuck := texts(t, b, `[...document.querySelectorAll("#series th")].map(of =>
				getComputedStyle(of).position).filter(of => of === "sticky")`)
			shown := texts(t, b, `[...document.querySelectorAll("form, details, .chips")].filter(of =>
				of.checkVisibility()).map(of => of.outerHTML.slice(0, 80))`)
			if len(stuck) > 0 || len(shown) > 0 {
				t.Errorf("paper of %d has %d cells that stick, and %q", width, len(stuck), shown)
			}
			r.sees("Series: Moneda: Pesos")
		}
	})
	t.Run("filters and columns are chosen without a script", func(t *testing.T) {
		b.Scripts(false)
		defer b.Scripts(true)
		opens(t, 1280, 900, "sort=id&q=accionario")
		r.selects(".panel summary")
		r.selects(".tools > details + details summary")
		r.selects(`input[name=columnas][value=tac]`) // it was chosen
		r.selects(`input[name=columnas][value=run]`)
		r.clicks(".tools > details + details button")
		r.sees("RUN", "Fondo o RUN: accionario")
		if titles := texts(t, b, `[...document.querySelectorAll("#series thead th")].map(of => of.textContent.trim())`); !slices.
			ContainsFunc(titles, func(of string) bool { return strings.HasPrefix(of, "RUN") }) ||
			slices.ContainsFunc(titles, func(of string) bool { return strings.HasPrefix(of, "TAC") }) {
			t.Errorf("the columns are %q", titles)
		}
		r.clicks(".chips a")
		if got := texts(t, b, `[location.search]`)[0]; strings.Contains(got, "q=") || !strings.Contains(got, "run") {
			t.Errorf("without the filter, the address is %s", got)
		}
	})
}

// box is the element that scrolls the screener's table where it is too wide.
const box = `document.querySelector(".screener .cards")`

// rowsInWindow counts the rows that stand whole in the window.
const rowsInWindow = `[...document.querySelectorAll("#series tbody tr")].filter(of =>
	of.getBoundingClientRect().top >= 0 && of.getBoundingClientRect().bottom <= innerHeight).length`

// cutCells lists the cells whose text is wider than they are.
const cutCells = `[...document.querySelectorAll("#series :is(th, td)")].filter(of =>
	of.checkVisibility() && of.scrollWidth > of.clientWidth + 1 && !of.closest("thead")).map(of => of.textContent)`

// visible reports whether the middle of an element is in the window, and nothing covers it.
func visible(t *testing.T, b *browsertest.Browser, element string) bool {
	t.Helper()
	return number(t, b, fmt.Sprintf(`(of => {
		const at = of.getBoundingClientRect();
		const top = document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2);
		return Number(top !== null && of.contains(top));
	})(%s)`, element)) == 1
}

func number(t testing.TB, b *browsertest.Browser, expression string) float64 {
	t.Helper()
	found, err := chromedp.Run(b.Ctx, chromedp.Evaluate[float64](expression))
	must(t, err)
	return found
}

func numbers(t testing.TB, b *browsertest.Browser, expression string) []float64 {
	t.Helper()
	found, err := chromedp.Run(b.Ctx, chromedp.Evaluate[[]float64](expression))
	must(t, err)
	return found
}

func texts(t testing.TB, b *browsertest.Browser, expression string) []string {
	t.Helper()
	found, err := chromedp.Run(b.Ctx, chromedp.Evaluate[[]string](expression))
	must(t, err)
	return found
}

// do runs a statement on the page.
func do(t testing.TB, b *browsertest.Browser, statement string) {
	t.Helper()
	number(t, b, "("+statement+", 0)")
}

// selects clicks what loads no other page.
func (r reader) selects(selector string) {
	r.t.Helper()
	must(r.t, chromedp.Do(r.b.Ctx, chromedp.Click(chromedp.CSS(selector))))
}
