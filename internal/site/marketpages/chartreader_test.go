package marketpages_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// chartReader is a person who reads the charts of pages.
type chartReader struct{ reader }

func (c chartReader) opens(width int64, scheme, path string) {
	c.t.Helper()
	c.b.Looks(width, 900, scheme)
	c.b.Problems()
	c.loads(http.StatusOK, chromedp.Navigate(c.s.base+path))
}

func chartOf(id string) string { return `figure[data-chart="` + id + `"]` }

// drawn is the drawing of a chart that is shown.
func drawn(id string) string {
	return `[...document.querySelectorAll('` + chartOf(id) + ` svg.lines')].find(of => of.getBoundingClientRect().width)`
}

// says waits until the chart tells something that begins so, or with "not " before it not so, and returns it.
func (c chartReader) says(id, begin string) string {
	c.t.Helper()
	text := `document.querySelector('` + chartOf(id) + ` .pointed').textContent`
	until := fmt.Sprintf(`%s.startsWith(%q)`, text, begin)
	if other, is := strings.CutPrefix(begin, "not "); is {
		until = fmt.Sprintf(`%s && !%[1]s.startsWith(%q)`, text, other)
	}
	if _, err := chromedp.Run(c.b.Ctx, chromedp.Poll[bool](`Boolean(`+until+`)`)); err != nil {
		c.t.Fatalf("%v: the chart says %q, want %q; %q", err, texts(c.t, c.b, "["+text+"]"), begin, c.b.Problems())
	}
	return texts(c.t, c.b, "["+text+"]")[0]
}

// told are the lines that a chart tells, in order, with their values.
func (c chartReader) told(id string) (names, values []string) {
	c.t.Helper()
	spans := `[...document.querySelectorAll('` + chartOf(id) + ` .pointed span')].map(of => of.textContent)`
	for _, line := range texts(c.t, c.b, spans) {
		at := strings.LastIndex(line, " ")
		names, values = append(names, line[:at]), append(values, line[at+1:])
	}
	return names, values
}

func (c chartReader) keys(keys ...string) {
	c.t.Helper()
	for _, key := range keys {
		must(c.t, chromedp.Do(c.b.Ctx, chromedp.KeyEvent(key)))
	}
}

// inChart scrolls to a chart, and returns a point of the window that is such a part of the way through its days.
func (c chartReader) inChart(id string, part float64) (x, y float64) {
	c.t.Helper()
	do(c.t, c.b, `document.querySelector('`+chartOf(id)+`').scrollIntoView()`)
	at := func(edge string) float64 {
		return number(c.t, c.b, drawn(id)+`.getBoundingClientRect().`+edge)
	}
	scale := at("width") / number(c.t, c.b, drawn(id)+".viewBox.baseVal.width")
	left := number(c.t, c.b, "Number("+drawn(id)+".dataset.left)")
	right := number(c.t, c.b, "Number("+drawn(id)+".dataset.right)")
	return at("left") + scale*(left+(right-left)*part), at("top") + at("height")/2
}

func (c chartReader) point(id string, part float64) {
	c.t.Helper()
	x, y := c.inChart(id, part)
	must(c.t, chromedp.Do(c.b.Ctx, chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y)))
}

func (c chartReader) focus(id string) {
	c.t.Helper()
	do(c.t, c.b, `document.querySelector('`+chartOf(id)+` .knob').focus({focusVisible: true})`)
}

// touches makes the screen one that is touched, until what it returns is called.
func (c chartReader) touches() (end func()) {
	c.t.Helper()
	set := func(on bool) {
		_, err := chromedp.Call(c.b.Ctx, emulation.SetTouchEmulationEnabled,
			emulation.SetTouchEmulationEnabledParams{Enabled: on})
		must(c.t, err)
	}
	set(true)
	return func() { set(false) }
}

func (c chartReader) touch(kind input.DispatchTouchEventType, at ...*input.TouchPoint) {
	c.t.Helper()
	_, err := chromedp.Call(c.b.Ctx, input.DispatchTouchEvent,
		input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, at...)})
	must(c.t, err)
}
