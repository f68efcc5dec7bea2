package synth

import (
	"fmt"
	"strconv"

	"cuota/model"
)

// The shares of the funds whose regulation declares that article 107 applies, and that it does
// not. Of the rest nothing could be found out, or nobody has looked. They are estimates.
const (
	declaring     = .6
	declaringNot  = .2
	notAssessed   = .08
	withException = .1
)

// article107 is the invented assessment of a fund's regulation.
type article107 struct {
	fund             *fund
	status, section  string
	exception        bool
	page, offset     int
	review           string
	changed, checked int // days before the market's end: the regulation's last change, and the assessment
	outdated         bool
}

// drawArticles107 draws the assessments. Some funds have none.
func (m *market) drawArticles107() {
	rng := stream(m.config.Seed, article107Stream)
	for _, f := range m.funds {
		a := article107{
			fund: f, status: "unknown", page: 2 + rng.IntN(30), offset: rng.IntN(90_000), changed: 40 + rng.IntN(2000),
			checked: rng.IntN(20),
		}
		at, review, outdated := rng.Float64(), rng.IntN(4), rng.IntN(12) == 0
		switch {
		case at < declaring:
			a.status = "declares_eligible"
		case at < declaring+declaringNot:
			a.status = "declares_not_eligible"
		case at >= 1-notAssessed:
			continue
		}
		a.exception, a.section = rng.Float64() < withException, []string{"3.1", "3.2"}[rng.IntN(2)]
		if a.status != "unknown" {
			a.review, a.outdated = []string{"", "pending", "approved", "rejected"}[review], outdated
		}
		m.articles107 = append(m.articles107, a)
	}
}

// writeArticles107 writes the assessments.
func (m *market) writeArticles107(out *output) error {
	if len(m.articles107) == 0 {
		return nil
	}
	return out.write(model.Article107s, "article107/articulo107_sintetico.csv", m.config.End.AddDays(1), func(f *file) {
		f.table("run", "status", "status_reason", "assessed_at", "updated_at", "cmf_document_id",
			"observed_cmf_document_id",
			"url", "sha256", "cmf_deposit_date", "cmf_last_modified_date", "fetched_at", "review_status", "reviewed_at",
			"reviewed_by", "review_note", "evidence_text", "evidence_page", "evidence_offset", "evidence_section",
			"series_exception", "rule_id", "parser_version", "classifier_version")
		for _, a := range m.articles107 {
			f.table(a.fields(m.config.End)...)
		}
	})
}

func (a *article107) fields(end model.Date) []string {
	assessed := end.AddDays(-a.checked).String()
	document := fmt.Sprintf("RI-%s-%s", mark, a.fund.run)
	observed := document
	if a.outdated {
		observed += "-2" // the regulator shows a later document than the one that was assessed
	}
	url, sum := evidence("regulation", a.fund.run)
	row := []string{
		a.fund.run.String(), a.status, "", assessed + "T15:00:00Z", assessed + "T15:05:00Z", document, observed, url,
		sum,
		end.AddDays(-a.changed).String(), end.AddDays(10 - a.changed).String(), assessed + "T14:59:00Z",
	}
	switch a.review {
	case "approved", "rejected":
		row = append(row, a.review, assessed+"T18:00:00Z", "REVISORA "+mark, "Revisado por "+mark)
	default:
		row = append(row, a.review, "", "", "")
	}
	if a.status == "unknown" {
		row[2] = "no clause was found"
		return append(row, "", "", "", "", "", "", "", "")
	}
	text, rule, exception := "Las cuotas del fondo "+mark+" podrán acogerse al artículo 107, numeral "+a.section+
		", de la Ley de la Renta.", "affirms-107", "no"
	if a.status == "declares_not_eligible" {
		text, rule = "Las cuotas del fondo "+mark+" no podrán acogerse al artículo 107 de la Ley de la Renta.",
			"negates-107"
	}
	if a.exception {
		exception = "yes"
	}
	return append(row, text, strconv.Itoa(a.page), strconv.Itoa(a.offset), a.section, exception, rule, "1.0.0", "1.0")
}

// expected returns the assessment for expected.json.
func (a *article107) expected() Article107 {
	e := Article107{Run: a.fund.run, Status: a.status}
	if a.status != "unknown" {
		e.Section, e.SeriesException = a.section, a.exception
	}
	return e
}
