// Package browsertest opens pages in a real Chromium for tests, and finds what is wrong with
// them.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// ScreenshotsEnv names a directory into which pictures of the pages are written.
const ScreenshotsEnv = "CUOTA_TEST_SCREENSHOTS"

// patience is how long a browser may take for all pages of a test. It only ends a browser that
// hangs.
const patience = 20 * time.Minute

// Path returns the path of a browser. If there is none, the test is skipped, or fails if CI=true.
func Path(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatal("there is no chromium: install Debian's package chromium")
	}
	t.Skip("there is no chromium")
	return ""
}

// Browser is a browser with one tab. It notes what its pages complain about and what they fetch
// without leave.
type Browser struct {
	// Ctx is the context for steps of chromedp.
	Ctx context.Context

	t       testing.TB
	allowed func(address string) bool

	guard    sync.Mutex
	problems []string
}

// New starts a browser, which ends with the test. allowed reports which addresses its pages may
// fetch.
func New(t testing.TB, allowed func(address string) bool) *Browser {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(Path(t)), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	b := &Browser{t: t, Ctx: ctx, allowed: allowed}
	b.must(chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800)))
	b.must(chromedp.Listen(ctx, b.note))
	_, err := chromedp.Call(ctx, cdplog.Enable, chromedp.Void{})
	b.must(err)
	_, err = chromedp.Call(ctx, network.Enable, network.EnableParams{})
	b.must(err)
	return b
}

func (b *Browser) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *Browser) note(event any) {
	b.guard.Lock()
	defer b.guard.Unlock()
	switch event := event.(type) {
	case *cdplog.EventEntryAdded:
		b.problems = append(b.problems, "log: "+event.Entry.Text)
	case *runtime.EventExceptionThrown:
		b.problems = append(b.problems, "exception: "+event.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.problems = append(b.problems, fmt.Sprint("console: ", event.Type))
	case *network.EventRequestWillBeSent:
		if !b.allowed(event.Request.URL) {
			b.problems = append(b.problems, "fetches "+event.Request.URL)
		}
	}
}

// Problems returns what was noted since the last call.
func (b *Browser) Problems() []string {
	b.guard.Lock()
	defer b.guard.Unlock()
	noted := b.problems
	b.problems = nil
	return noted
}

// Looks sets the size of the window in pixels, and the colour scheme: light or dark.
func (b *Browser) Looks(width, height int64, scheme string) {
	b.t.Helper()
	b.must(chromedp.Do(b.Ctx, chromedp.EmulateViewport(width, height)))
	_, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	b.must(err)
}

// Prints shows pages as they are printed on paper of this width in pixels.
func (b *Browser) Prints(width, height int64) {
	b.t.Helper()
	b.must(chromedp.Do(b.Ctx, chromedp.EmulateViewport(width, height)))
	_, err := chromedp.Call(b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	b.must(err)
}

// Scripts turns the scripts of pages on or off.
func (b *Browser) Scripts(on bool) {
	b.t.Helper()
	_, err := chromedp.Call(b.Ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: !on})
	b.must(err)
}

// Picture saves the whole page into the directory of pictures, if there is one.
func (b *Browser) Picture(name string) {
	b.t.Helper()
	if os.Getenv(ScreenshotsEnv) != "" {
		size, err := chromedp.Run(b.Ctx, chromedp.Evaluate[[]float64](pageSize))
		b.must(err)
		picture, err := chromedp.Call(b.Ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
			CaptureBeyondViewport: new(true), FromSurface: new(true), Format: page.CaptureScreenshotFormatPng,
			Clip: &page.Viewport{Width: size[0], Height: size[1], Scale: 1},
		})
		b.must(err)
		b.save(name, picture.Data)
	}
}

// pageSize is the size of the page as it is now. Without it a picture may be as tall as the page was while its details
// were open, for which Faults looks too.
const pageSize = `[document.documentElement.scrollWidth, document.documentElement.scrollHeight]`

// PictureOfWindow saves what the window shows.
func (b *Browser) PictureOfWindow(name string) {
	b.t.Helper()
	if os.Getenv(ScreenshotsEnv) != "" {
		picture, err := chromedp.Run(b.Ctx, chromedp.CaptureScreenshot())
		b.must(err)
		b.save(name, picture)
	}
}

func (b *Browser) save(name string, picture []byte) {
	b.t.Helper()
	directory := os.Getenv(ScreenshotsEnv)
	b.must(os.MkdirAll(directory, 0o755))
	b.must(os.WriteFile(filepath.Join(directory, name), picture, 0o644))
}

// faults are rules that every page keeps. It returns what is wrong.
const faults = `(() => {
	const found = [];
	if (!["es", "en"].includes(document.documentElement.lang)) found.push("the page is in no language");
	if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
	if (document.querySelectorAll("main").length !== 1) found.push("not one main");
	if (!document.title.includes("cuota")) found.push("no title");
	if (document.documentElement.scrollWidth > window.innerWidth) {
		const wide = [...document.querySelectorAll("body *")].filter(of => !of.closest(".scroll") && of.getBoundingClientRect().right > window.innerWidth + 1);
		found.push("wider than the window: " + document.documentElement.scrollWidth + " " + wide.slice(0, 3).map(of => of.outerHTML.slice(0, 120)).join(" | "));
	}
	for (const tile of document.querySelectorAll(".treemap g")) {
		const right = tile.querySelector("rect").getBoundingClientRect().right;
		for (const label of tile.querySelectorAll("text"))
			if (label.getBoundingClientRect().right > right + 1) found.push("a label leaves its tile: " + label.textContent);
	}
	if (document.querySelector("[style], style, script:not([src])")) found.push("style or script in the page");
	const ids = [...document.querySelectorAll("[id]")].map(of => of.id);
	const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
	if (twice.length) found.push("an id is there twice: " + twice[0]);
	for (const table of document.querySelectorAll("table")) if (!table.caption) found.push("a table without a caption");
	for (const missing of document.querySelectorAll("td, th"))
		if (missing.textContent.trim() === "—") found.push("a value is missing without its reason: " + missing.parentElement.textContent.slice(0, 100));
	return found;
})()`

// Faults returns what is wrong with the page, by rules that every page keeps.
func (b *Browser) Faults() []string {
	b.t.Helper()
	found, err := chromedp.Run(b.Ctx, chromedp.Evaluate[[]string](faults))
	b.must(err)
	return append(found, b.cuts()...)
}
