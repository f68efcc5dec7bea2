package report_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"cuota/backtest"
	"cuota/backtest/report"
	"cuota/internal/testkit/browsertest"
)

// browser is a real browser that reads reports from disk.
type browser struct {
	*browsertest.Browser
	t   testing.TB
	ctx context.Context
}

// newBrowser starts a browser whose pages may fetch nothing but themselves.
func newBrowser(t testing.TB) *browser {
	t.Helper()
	b := browsertest.New(t, func(address string) bool {
		return strings.HasPrefix(address, "file://") && strings.HasSuffix(address, ".html")
	})
	return &browser{b, t, b.Ctx}
}

// opens opens a file from disk, looks at it in a size and a scheme, and returns what is wrong.
func (b *browser) opens(path string, width, height int64, scheme string) []string {
	b.t.Helper()
	b.Problems()
	b.Looks(width, height, scheme)
	must(b.t, chromedp.Do(b.ctx, chromedp.Navigate("file://"+path)))
	found, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](`(() => {
		const found = [];
		const visible = of => of.getClientRects().length > 0;
		if (!["es", "en"].includes(document.documentElement.lang)) found.push("the page is in no language");
		if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
		if (document.querySelectorAll("main").length !== 1) found.push("not one main");
		if (!document.title) found.push("no title");
		if (document.scripts.length) found.push("a script");
		if (document.documentElement.scrollWidth > window.innerWidth) found.push("wider than the window: " + document.documentElement.scrollWidth);
		for (const chart of document.querySelectorAll("svg.chart")) {
			for (const id of chart.getAttribute("aria-labelledby").split(" "))
				if (!document.getElementById(id)?.textContent) found.push("a chart without a title or description: " + id);
			if (!chart.closest("figure").nextElementSibling?.querySelector("table")) found.push("a chart without a table");
			if (!visible(chart)) continue;
			const box = chart.getBoundingClientRect();
			for (const text of chart.querySelectorAll("text")) {
				const at = text.getBoundingClientRect();
				if (at.left < box.left - 1 || at.right > box.right + 1 || at.bottom > box.bottom + 1) found.push("a label leaves its chart: " + text.textContent);
				if (at.height < 11) found.push("a label is too small: " + text.textContent);
			}
		}
		for (const figure of document.querySelectorAll("figure"))
			if ([...figure.querySelectorAll("svg.chart")].filter(visible).length !== 1) found.push("not one picture of a chart is visible");
		for (const link of document.querySelectorAll("a")) {
			if (!document.querySelector(link.getAttribute("href"))) found.push("a link to nothing: " + link.textContent);
			if (link.getBoundingClientRect().height < 24) found.push("a link is too small to touch: " + link.textContent);
		}
		const ids = [...document.querySelectorAll("[id]")].map(of => of.id);
		if (new Set(ids).size !== ids.length) found.push("an id is there twice");
		return found;
	})()`))
	must(b.t, err)
	return append(found, b.Problems()...)
}

func TestReportsOpenFromDiskInARealBrowser(t *testing.T) {
	b := newBrowser(t)
	dir := t.TempDir()
	for name, r := range map[string]*backtest.Result{
		"ten-years": invented(2024, 10, 10), "small": small(), "nothing": nothing(), "hostile": hostileResult(),
		"no-days": {Strategy: small().Strategy},
	} {
		for _, language := range []report.Language{report.Spanish, report.English} {
			path := filepath.Join(dir, fmt.Sprintf("%s-%s.html", name, language))
			must(t, report.Save(path, r, language, true))
			for _, screen := range []struct {
				name          string
				width, height int64
			}{{"phone", 375, 740}, {"desk", 1280, 800}} {
				for _, scheme := range []string{"light", "dark"} {
					for _, problem := range b.opens(path, screen.width, screen.height, scheme) {
						t.Errorf("%s in %s, %s, %s: %s", name, language, screen.name, scheme, problem)
					}
					b.Picture(fmt.Sprintf("%s-%s-%s-%s.png", name, language, screen.name, scheme))
				}
			}
			b.prints(name + "-" + string(language))
		}
	}
}

// prints prints the page as a PDF.
func (b *browser) prints(name string) {
	b.t.Helper()
	must(b.t, chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, 800)))
	yes := true
	printed, err := chromedp.Call(b.ctx, page.PrintToPDF, page.PrintToPDFParams{PreferCSSPageSize: &yes})
	must(b.t, err)
	if !strings.HasPrefix(string(printed.Data), "%PDF") {
		b.t.Errorf("%s can't be printed", name)
	}
	if directory := os.Getenv(browsertest.ScreenshotsEnv); directory != "" {
		must(b.t, os.WriteFile(filepath.Join(directory, name+".pdf"), printed.Data, 0o600))
	}
}

// The checks of the browser find what they look for.
func TestABadPageIsFound(t *testing.T) {
	b := newBrowser(t)
	path := filepath.Join(t.TempDir(), "bad.html")
	must(t, os.WriteFile(path,
		[]byte(`<!DOCTYPE html><html lang="es"><title>bad</title><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`+
			`<main><h1>x</h1><img src="https://example.invalid/x.png"><p style="width: 3000px">wide</p><script>alert(1)</script></main>`), 0o600))
	found := strings.Join(b.opens(path, 375, 740, "light"), "\n")
	for _, want := range []string{"wider than the window", "a script", "log: "} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not found in %q", want, found)
		}
	}
}
