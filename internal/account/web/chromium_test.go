package web_test

import (
	"bytes"
	"context"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuota/internal/testkit/browsertest"
	"cuota/internal/testkit/waittest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// person is a person with a real browser.
type person struct {
	t     testing.TB
	ctx   context.Context
	rig   *rig
	mails string // directory of .eml files
	seen  []string
}

func newPerson(t testing.TB, r *rig, mails string) *person {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(browsertest.Path(t)), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
	ctx, cancel := context.WithTimeout(context.Background(), 5*patience)
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	p := &person{t: t, ctx: ctx, rig: r, mails: mails}
	must(t, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 800)))
	return p
}

// goes opens an address and checks the status.
func (p *person) goes(target string, status int) {
	p.t.Helper()
	p.loads(status, chromedp.Navigate(target))
}

// loads runs a step that loads a page, waits for the page, and checks the rules for every page.
func (p *person) loads(status int, step chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	response, err := chromedp.RunResponse(p.ctx, step)
	must(p.t, err)
	if response.Status != int64(status) {
		p.t.Fatalf("%s: status %d, want %d: %s", response.URL, response.Status, status, p.text("body"))
	}
	p.isAccessible()
}

// isAccessible checks what can be checked automatically: languages, one heading, the landmark,
// names of fields and buttons, and, at the width of a phone, that nothing is wider than the
// window.
func (p *person) isAccessible() {
	p.t.Helper()
	problems, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](`(() => {
		const found = [];
		if (document.documentElement.lang !== "es") found.push("the page is in no language");
		if (document.querySelectorAll("h1").length !== 1) found.push("not one h1");
		if (document.querySelectorAll("main").length !== 1) found.push("not one main");
		if (!document.title.includes("cuota")) found.push("no title");
		for (const field of document.querySelectorAll("input:not([type=hidden])"))
			if (!field.labels || field.labels.length === 0) found.push("no label: " + field.outerHTML);
		for (const action of document.querySelectorAll("a, button"))
			if (!action.textContent.trim() && !action.ariaLabel) found.push("no name: " + action.outerHTML);
		for (const described of document.querySelectorAll("[aria-describedby]"))
			for (const id of described.getAttribute("aria-describedby").split(" "))
				if (!document.getElementById(id)) found.push("describes nothing: " + id);
		for (const english of document.querySelectorAll(".en"))
			if (english.lang !== "en") found.push("not said to be English: " + english.textContent);
		for (const button of document.querySelectorAll("button:not([hidden]), .button, input[type=email], input[type=text]"))
			if (button.getBoundingClientRect().height < 44) found.push("too small to touch: " + button.outerHTML);
		if (document.documentElement.scrollWidth > window.innerWidth) found.push("wider than the window");
		if (document.querySelector("[style], style, script:not([src])")) found.push("style or script in the page");
		return found;
	})()`))
	must(p.t, err)
	for _, problem := range problems {
		p.t.Errorf("%s: %s", p.where(), problem)
	}
}

func (p *person) where() string {
	location, err := chromedp.Run(p.ctx, chromedp.Location())
	must(p.t, err)
	u, err := url.Parse(location)
	must(p.t, err)
	return u.Path
}

func (p *person) text(selector string) string {
	p.t.Helper()
	text, err := chromedp.Run(p.ctx, chromedp.Text(chromedp.CSS(selector)))
	must(p.t, err)
	return text
}

func (p *person) sees(texts ...string) {
	p.t.Helper()
	body := p.text("body")
	for _, text := range texts {
		if !strings.Contains(body, text) {
			p.t.Errorf("%s does not show %q:\n%s", p.where(), text, body)
		}
	}
}

// types writes into a field and presses Enter.
func (p *person) types(field, text string, status int) {
	p.t.Helper()
	p.loads(status, chromedp.SendKeys(chromedp.CSS(field), text+"\r"))
}

func (p *person) presses(selector string, status int) {
	p.t.Helper()
	p.loads(status, chromedp.Click(chromedp.CSS(selector)))
}

// mailedLink waits for the newest mail file that was not opened yet, and gives the link in its
// text.
func (p *person) mailedLink() string {
	p.t.Helper()
	var path string
	waittest.Until(p.t, "a mail file", func() bool {
		files, err := filepath.Glob(filepath.Join(p.mails, "*.eml"))
		must(p.t, err)
		for _, file := range files {
			if !slices.Contains(p.seen, file) {
				path = file
				return true
			}
		}
		return false
	})
	p.seen = append(p.seen, path)
	return linkForm.FindString(textOf(p.t, path))
}

// textOf returns the plain text of a mail file.
func textOf(t testing.TB, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	message, err := netmail.ReadMessage(bytes.NewReader(content))
	must(t, err)
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	must(t, err)
	if kind != "multipart/alternative" {
		t.Fatalf("a mail is %s", kind)
	}
	part, err := multipart.NewReader(message.Body, parameters["boundary"]).NextRawPart()
	must(t, err)
	text, err := io.ReadAll(quotedprintable.NewReader(part))
	must(t, err)
	return string(text)
}

// pictures saves the page at the sizes of a desktop and of a phone, in light and dark, and
// checks it again at a phone's width.
func (p *person) pictures(name string) {
	p.t.Helper()
	directory := os.Getenv(browsertest.ScreenshotsEnv)
	for _, screen := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"phone-dark", 375, 740, "dark"}, {"phone", 375, 740, "light"}, {"desk-dark", 1280, 800, "dark"}, {"desk", 1280, 800, "light"}} {
		must(p.t, chromedp.Do(p.ctx, chromedp.EmulateViewport(screen.width, screen.height)))
		_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: screen.scheme}},
		})
		must(p.t, err)
		p.isAccessible()
		if directory == "" {
			continue
		}
		picture, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
		must(p.t, err)
		must(p.t, os.WriteFile(filepath.Join(directory, name+"-"+screen.name+".png"), picture, 0o600))
	}
}
