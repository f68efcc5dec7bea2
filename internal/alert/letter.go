package alert

import (
	"embed"
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"cuota/internal/mail"
)

//go:embed mails
var mailFiles embed.FS

var letters = mail.ParseLetters(mailFiles, "mails")

// footer is the end of a mail: the address of the service and how to unsubscribe.
type footer struct {
	Site        string
	Unsubscribe string // page for people
	oneClick    string // address for mail programs (RFC 8058)
	list        string
}

// Host returns the site without its scheme.
func (f footer) Host() string {
	if u, err := url.Parse(f.Site); err == nil && u.Host != "" {
		return u.Host
	}
	return f.Site
}

// group is a section of a letter with a title in both languages.
type group struct {
	Spanish, English string
	Lines            []line
}

// line is the text about one series.
type line struct {
	Series string
	Facts  []string // the same in every language, or in both
}

// letter is the data of the templates.
type letter struct {
	footer
	On     string // the cutoff, or the month
	Groups []group
}

// alertLetter writes the mail about events: first changed costs, then large moves, then
// closures. The sections about screens come last. news counts all that is told.
func (a *Alerts) alertLetter(events []event, screens []group, news int, asOf string, f footer) mail.Message {
	groups := []group{
		{Spanish: "Cambió su costo anual (TAC)", English: "Their annual cost rate (TAC) changed"},
		{Spanish: "Se movieron más que el umbral de su familia",
			English: "They moved more than the threshold of their family"},
		{Spanish: "Dejaron de publicar valores cuota", English: "They no longer publish quota values"},
	}
	for _, e := range events {
		l := line{Series: seriesName(e.Fund, e.Serie, e.RUN)}
		switch e.Kind {
		case "tac":
			l.Facts = []string{fmt.Sprintf("%s (%s) → %s (%s)", percent(e.Before, ""), monthOf(text(e.DateBefore)),
				percent(e.After, ""), monthOf(e.Date))}
			groups[0].Lines = append(groups[0].Lines, l)
		case "move":
			l.Facts = []string{fmt.Sprintf("%s (%s → %s)", percent(e.After, "+"), text(e.DateBefore), e.Date)}
			groups[1].Lines = append(groups[1].Lines, l)
		default:
			l.Facts = []string{"último valor / last value: " + e.Date}
			groups[2].Lines = append(groups[2].Lines, l)
		}
	}
	return write("alert", fmt.Sprintf("Novedades de sus fondos al %s (%d) / News of your funds", asOf, news),
		letter{footer: f, On: asOf, Groups: append(withLines(groups), screens...)})
}

// summaryLetter writes the mail with the results of each series in a month.
func (a *Alerts) summaryLetter(series []standing, month string, f footer) mail.Message {
	g := group{Spanish: "Sus series", English: "Your series"}
	for _, s := range series {
		facts := []string{
			"mes / month " + percent(s.Month, "+"),
			"año / year to date " + percent(s.YTD, "+"),
			"12 meses / 12 months " + percent(s.Year, "+"),
		}
		if s.TAC != nil {
			facts = append(facts, fmt.Sprintf("TAC %s (%s)", percent(s.TAC, ""), monthOf(s.TACMonth)))
		}
		g.Lines = append(g.Lines, line{seriesName(s.Fund, s.Serie, s.RUN), facts})
	}
	on := monthOf(month)
	return write("summary", fmt.Sprintf("Resumen de %s / Summary of %s", on, on),
		letter{footer: f, On: on, Groups: []group{g}})
}

func withLines(groups []group) (kept []group) {
	for _, g := range groups {
		if len(g.Lines) > 0 {
			kept = append(kept, g)
		}
	}
	return kept
}

// write makes a message with the addresses to unsubscribe.
func write(name, subject string, l letter) mail.Message {
	m := letters.Write(name, subject, l)
	m.Unsubscribe, m.List = l.oneClick, l.list
	return m
}

// percent writes a fraction in the Chilean form: 0.0132 is "1,32 %". nil is a dash. plus is put
// before positive values.
func percent(fraction *float64, plus string) string {
	if fraction == nil {
		return "—"
	}
	rounded := math.Round(1e4**fraction) / 100
	if rounded == 0 {
		rounded = 0 // avoids -0
	}
	digits := strconv.FormatFloat(rounded, 'f', 2, 64)
	if rounded > 0 {
		digits = plus + digits
	}
	return strings.Replace(digits, ".", ",", 1) + " %"
}

// monthOf returns the month of a date, as YYYY-MM.
func monthOf(date string) string {
	if len(date) < 7 {
		return date
	}
	return date[:7]
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// seriesName returns the text for a series in a letter.
func seriesName(fund, serie, run string) string {
	return fmt.Sprintf("%s, serie %s (RUN %s)", oneLine(fund), oneLine(serie), oneLine(run))
}

// maxName limits a name in a letter, in characters, so that a full watchlist with the longest
// names still fits into a mail.
const maxName = 120

// oneLine removes characters from a name that could break the line or hide text, because names
// come from files. It also shortens the name to maxName.
func oneLine(name string) string {
	clean := strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Cf) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, name)), " ")
	if runes := []rune(clean); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return clean
}
