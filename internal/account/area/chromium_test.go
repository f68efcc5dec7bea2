package area_test

import (
	"bytes"
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

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// person is a person with a real browser.
type person struct {
	*browsertest.Browser
	t     testing.TB
	rig   *rig
	mails string // directory of .eml files
	lang  string // that the browser prefers: es or en
	axe   string
	seen  []string
}

func newPerson(t testing.TB, r *rig, mails, lang string) *person {
	t.Helper()
	axe := browsertest.Axe(t)
	p := &person{Browser: browsertest.New(t, func(string) bool {
		return true
	}), t: t, rig: r, mails: mails, lang: lang, axe: axe}
	_, err := chromedp.Call(p.Ctx, network.SetExtraHTTPHeaders,
		network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": lang}})
	must(t, err)
	return p
}

// say returns the text in the language of the person.
func (p *person) say(es, en string) string {
	if p.lang == "en" {
		return en
	}
	return es
}

// goes opens an address and checks the status.
func (p *person) goes(target string, status int) {
	p.t.Helper()
	p.loads(status, chromedp.Navigate(target))
}

// loads runs a step that loads a page, waits for the page, and checks the rules for every page.
func (p *person) loads(status int, step chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	response, err := chromedp.RunResponse(p.Ctx, step)
	must(p.t, err)
	if response.Status != int64(status) {
		p.t.Fatalf("%s: status %d, want %d: %s", response.URL, response.Status, status, p.text("body"))
	}
	p.isAccessible()
}

// isAccessible checks what can be checked automatically: the rules of every page, the language, names of fields and
// buttons, and their size.
func (p *person) isAccessible() {
	p.t.Helper()
	problems, err := chromedp.Run(p.Ctx, chromedp.Evaluate[[]string](`(() => {
		const found = [];
		if (document.documentElement.lang !== "`+p.lang+
		`") found.push("the page is in " + document.documentElement.lang);
		for (const field of document.querySelectorAll("input:not([type=hidden])"))
			if (!field.labels || field.labels.length === 0) found.push("no label: " + field.outerHTML);
		for (const action of document.querySelectorAll("a, button"))
			if (!action.textContent.trim() && !action.ariaLabel) found.push("no name: " + action.outerHTML);
		for (const described of document.querySelectorAll("[aria-describedby]"))
			for (const id of described.getAttribute("aria-describedby").split(" "))
				if (!document.getElementById(id)) found.push("describes nothing: " + id);
		for (const button of document.querySelectorAll("button:not([hidden]), .button, input[type=email], input[type=text]"))
			if (button.getBoundingClientRect().height < 44) found.push("too small to touch: " + button.outerHTML);
		return found;
	})()`))
	must(p.t, err)
	problems = append(problems, p.Faults()...)
	for _, noted := range p.Problems() {
		if !strings.Contains(noted, "the server responded with a status of") {
			problems = append(problems, noted)
		}
	}
	for _, problem := range problems {
		p.t.Errorf("%s: %s", p.where(), problem)
	}
}

func (p *person) where() string {
	location, err := chromedp.Run(p.Ctx, chromedp.Location())
	must(p.t, err)
	u, err := url.Parse(location)
	must(p.t, err)
	return u.Path
}

func (p *person) text(selector string) string {
	p.t.Helper()
	text, err := chromedp.Run(p.Ctx, chromedp.Text(chromedp.CSS(selector)))
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

// mailedLink waits for the newest mail file that was not opened yet, and returns the link in its
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

// pictures saves the page at the sizes of a desktop and of a phone, in light and dark, and checks each.
func (p *person) pictures(name string) {
	p.t.Helper()
	for _, screen := range []struct {
		name          string
		width, height int64
		scheme        string
	}{{"375-dark", 375, 740, "dark"}, {"375", 375, 740, "light"}, {"1280-dark", 1280, 800, "dark"},
		{"1280", 1280, 800, "light"}} {
		p.Looks(screen.width, screen.height, screen.scheme)
		p.isAccessible()
		for _, violation := range p.Violations(p.axe) {
			p.t.Errorf("%s at %s: %s", p.where(), screen.name, violation)
		}
		p.Picture(name + "-" + screen.name + "-" + p.lang + ".png")
	}
}
