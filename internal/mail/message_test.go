package mail_test

import (
	"strings"
	"testing"

	"cuota/internal/mail"
	"cuota/internal/mail/mailtest"
)

func TestWhatCouldReachBeyondItsPlaceIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*mail.Message){
		"no id":                       func(m *mail.Message) { m.ID = "" },
		"an id that is a path":        func(m *mail.Message) { m.ID = "../x" },
		"an id that hides":            func(m *mail.Message) { m.ID = ".x" },
		"a line in the recipient":     func(m *mail.Message) { m.To += "\r\nBcc: eva@example.cl" },
		"two recipients":              func(m *mail.Message) { m.To += ",eva@example.cl" },
		"a name before the recipient": func(m *mail.Message) { m.To = "Ana <ana@example.cl>" },
		"no recipient":                func(m *mail.Message) { m.To = "" },
		"a line in the subject":       func(m *mail.Message) { m.Subject += "\nBcc: eva@example.cl" },
		"no text":                     func(m *mail.Message) { m.Text = "" },
		"too much text":               func(m *mail.Message) { m.Text = strings.Repeat("x", 1<<20) },
		"a line in the unsubscribe":   func(m *mail.Message) { m.Unsubscribe += "\r\nX: y" },
		"two unsubscribes":            func(m *mail.Message) { m.Unsubscribe += ">,<mailto:x" },
	} {
		m := message("a")
		spoil(&m)
		if _, err := mail.Compose("cuota@example.org", m, noon); err == nil {
			t.Errorf("%s: composed", name)
		} else if strings.Contains(err.Error(), "eva") || strings.Contains(err.Error(), "ana") {
			t.Errorf("%s: the error repeats it: %v", name, err)
		}
	}
	if _, err := mail.Compose("not an address", message("a"), noon); err == nil {
		t.Error("composed from no address")
	}
}

// Text of an attacker in a mail stays in its field.
func TestNothingInAMailBecomesAHeader(t *testing.T) {
	for name, m := range map[string]mail.Message{
		"in the text":  {Text: "x\r\n.\r\nMAIL FROM:<eva@example.cl>\r\nBcc: eva@example.cl\r\n"},
		"in the HTML":  {HTML: "<p>x</p>\n.\nBcc: eva@example.cl\n"},
		"line feeds":   {Text: "x\n.\nRCPT TO:<eva@example.cl>\n"},
		"bare returns": {Text: "x\r.\rRCPT TO:<eva@example.cl>\r"},
		"long lines":   {Text: strings.Repeat("Bcc: eva@example.cl ", 100)},
	} {
		t.Run(name, func(t *testing.T) {
			relay := mailtest.Start(t, mailtest.Script{})
			whole := message("m")
			if m.Text != "" {
				whole.Text = m.Text
			} else {
				whole.HTML = m.HTML
			}
			must(t, overSMTP(t, relay).Carry(t.Context(), whole))
			got := relay.Next(t)
			if got.To != "ana@example.cl" || got.Header.Get("Bcc") != "" ||
				!strings.Contains(got.Text+got.HTML, "eva@example.cl") {
				t.Errorf("%+v", got)
			}
			if more := relay.Waiting(); len(more) > 0 {
				t.Errorf("%d more mails arrived", len(more))
			}
		})
	}
}
