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

// footer is what a mail ends with: where it comes from and how to stop it.
type footer struct {
	Site        string
	Unsubscribe string // page for people
	oneClick    string // address for mail programs
	list        string
}

// Host is the site without its scheme.
func (f footer) Host() string {
	if u, err := url.Parse(f.Site); err == nil && u.Host != "" {
		return u.Host
	}
	return f.Site
}

// group is a part of a letter under a title of its own, in both languages.
type group struct {
	Spanish, English string
	Lines            []line
}

// line is what a letter says of one series.
type line struct {
	Series string
	Facts  []string // the same in every language, or in both
}

// letter is what the templates show.
type letter struct {
	footer
	On     string // the cutoff, or the month
	Groups []group
}

// alertLetter tells of events: costs, then moves, then closures.
func (a *Alerts) alertLetter(events []event, asOf string, f footer) mail.Message {
	groups := []group{
		{Spanish: "Cambió su costo anual (TAC)", English: "Their annual cost rate (TAC) changed"},
		{Spanish: "Se movieron más que el umbral de su familia", English: "They moved more than the threshold of their family"},
		{Spanish: "Dejaron de publicar valores cuota", English: "They no longer publish quota values"},
	}
	for _, e := range events {
		l := line{Series: seriesName(e.Fund, e.Serie, e.RUN)}
		switch e.Kind {
		case "tac":
			l.Facts = []string{fmt.Sprintf("%s (%s) → %s (%s)", percent(e.Before, ""), monthOf(text(e.DateBefore)), percent(e.After, ""), monthOf(e.Date))}
			groups[0].Lines = append(groups[0].Lines, l)
		case "move":
			l.Facts = []string{fmt.Sprintf("%s (%s → %s)", percent(e.After, "+"), text(e.DateBefore), e.Date)}
			groups[1].Lines = append(groups[1].Lines, l)
		default:
			l.Facts = []string{"último / last: " + e.Date}
			groups[2].Lines = append(groups[2].Lines, l)
		}
	}
	return write("alert", fmt.Sprintf("Novedades de sus fondos al %s (%d) / News of your funds", asOf, len(events)),
		letter{footer: f, On: asOf, Groups: withLines(groups)})
}

// summaryLetter tells how each series stands after a month.
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
	return write("summary", fmt.Sprintf("Resumen de %s / Summary of %s", on, on), letter{footer: f, On: on, Groups: []group{g}})
}

func withLines(groups []group) (kept []group) {
	for _, g := range groups {
		if len(g.Lines) > 0 {
			kept = append(kept, g)
		}
	}
	return kept
}

// write makes a message that can be unsubscribed from.
func write(name, subject string, l letter) mail.Message {
	m := letters.Write(name, subject, l)
	m.Unsubscribe, m.List = l.oneClick, l.list
	return m
}

// percent writes a fraction as people in Chile do: 0.0132 is "1,32 %". Without one
// it is a dash. plus is put before what is above zero.
func percent(fraction *float64, plus string) string {
	if fraction == nil {
		return "—"
	}
	rounded := math.Round(1e4**fraction) / 100
	if rounded == 0 {
		rounded = 0 // and not -0
	}
	digits := strconv.FormatFloat(rounded, 'f', 2, 64)
	if rounded > 0 {
		digits = plus + digits
	}
	return strings.Replace(digits, ".", ",", 1) + " %"
}

// monthOf is the month of a date, YYYY-MM.
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

// seriesName is what a letter calls a series.
func seriesName(fund, serie, run string) string {
	return fmt.Sprintf("%s, serie %s (RUN %s)", oneLine(fund), oneLine(serie), oneLine(run))
}

// maxName bounds a name in a letter, so that a watchlist full of the longest ones
// still fits into a mail.
const maxName = 120

// oneLine keeps a name, which comes from a file, from ending its line or hiding
// part of it.
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
