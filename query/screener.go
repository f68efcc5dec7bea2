package query

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"cuota/model"
)

// maxOffset is the greatest whole number that every JSON reader represents exactly.
const maxOffset = 1<<53 - 1

// maxPage is the greatest number of series in a page (SPEC, Limits).
const maxPage = 200

// screenerOperation filters, sorts and pages the series alive at the cutoff.
func (s *Server) screenerOperation() operation {
	return operation{
		method: http.MethodGet, path: "/api/screener", access: keyed, reads: completeBatch,
		params: []param{
			filter("q", 200), filter("fund_family", 200), filter("investor_class", 100), currency("currency", 20),
			filter("category", 100), filter("administrator", 200),
			integer("cmf_spheres_min", 1, 5, nil), integer("cmf_spheres_max", 1, 5, nil),
			exact("cmf_family", 200), exact("cmf_investor_type", 200), choice("tac_kind", tacKindWords...),
			words("sort", slices.Concat([]string{"id", "tac", "cmf_spheres"}, model.Windows)...), words("order", "asc", "desc"),
			integer("limit", 1, maxPage, int64(50)), integer("offset", 0, maxOffset, int64(0)),
			filter("batch_id", 200),
		},
		check: checkScreener, answer: s.screener, hot: s.screenerFromMemory,
	}
}

// currency declares an accounting currency, by the regulator's name or the ISO code.
func currency(name string, maxRunes int) param {
	p := filter(name, maxRunes)
	p.read = func(text string) (any, *violation) {
		switch strings.ToUpper(text) {
		case "PESOS", "CLP":
			return "PESOS", nil
		case "DOLAR", "USD":
			return "DOLAR", nil
		}
		return nil, &violation{Type: "literal_error", Msg: "Must be PESOS or CLP, DOLAR or USD"}
	}
	return p
}

func checkScreener(v values) (wrong []violation) {
	if v.has("cmf_spheres_min") && v.has("cmf_spheres_max") && v.integer("cmf_spheres_min") > v.integer("cmf_spheres_max") {
		wrong = append(wrong, violation{Loc: []string{"query", "cmf_spheres_min"}, Type: "value_error",
			Msg: "Must not be greater than cmf_spheres_max"})
	}
	need := func(name string) {
		if !v.has(name) {
			wrong = append(wrong, violation{Loc: []string{"query", name}, Type: "missing",
				Msg: "Required to sort by " + v.text("sort")})
		}
	}
	switch sort := v.text("sort"); {
	case sort == "cmf_spheres": // an ordinal within one family and investor class
		need("cmf_family")
		need("cmf_investor_type")
	case slices.Contains(model.Windows, sort): // returns in different currencies do not compare
		need("currency")
	}
	return wrong
}

func (c *call) screenerSelection() marketSelection {
	return marketSelection{
		text: c.text("q"), family: c.text("fund_family"), class: c.text("investor_class"), currency: c.text("currency"),
		category: c.text("category"), administrator: c.text("administrator"),
		ratedFamily: c.text("cmf_family"), ratedClass: c.text("cmf_investor_type"), tacKind: c.text("tac_kind"),
		spheresMin: c.values["cmf_spheres_min"], spheresMax: c.values["cmf_spheres_max"],
		sort: c.text("sort"), order: c.text("order"), limit: c.integer("limit"), offset: c.integer("offset"),
	}
}

// screenerFromMemory is screener from rows that are encoded already.
func (s *Server) screenerFromMemory(c *call, shot *snapshot, drawn *rendering) (reply, bool) {
	var few [maxPage]int32
	page, total := shot.page(c.screenerSelection(), few[:0])
	return assembled(func(body []byte) []byte {
		body = drawn.appendItems(body, page)
		body = append(body, `,"total":`...)
		body = strconv.AppendInt(body, int64(total), 10)
		body = append(body, `,"limit":`...)
		body = strconv.AppendInt(body, c.integer("limit"), 10)
		body = append(body, `,"offset":`...)
		body = strconv.AppendInt(body, c.integer("offset"), 10)
		body = append(body, '}')
		if next := c.nextPage(len(page), uint64(total)); next != "" {
			body = append(body, `,"links":{"next":"`...) // it has no characters that JSON escapes
			body = append(body, next...)
			body = append(body, `"}`...)
		}
		return append(body, "}\n"...)
	}), true
}

func (s *Server) screener(ctx context.Context, c *call) (reply, error) {
	found, total, err := s.marketPage(ctx, c.batch, c.screenerSelection())
	if err != nil {
		return reply{}, err
	}
	data, kinds := make([]resource, len(found)), make(tacKinds, len(found))
	for i, row := range found {
		data[i], kinds[i] = s.marketResource(c.batch, row), row.tacKind()
	}
	type meta struct {
		marketMeta
		TACKinds tacKinds `json:"tac_kinds"`
		Total    uint64   `json:"total"` // after filters, before paging
		Limit    int64    `json:"limit"`
		Offset   int64    `json:"offset"`
	}
	return okPage(data, meta{s.marketMeta(c.batch), kinds, total, c.integer("limit"), c.integer("offset")}, c.nextPage(len(data), total))
}
