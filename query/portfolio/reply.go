package portfolio

import (
	"cuota/model"
	"cuota/query/operation"
	"cuota/query/savings"
)

// Reply is what became of a portfolio.
type Reply struct {
	Data Data `json:"data"`
	Meta Meta `json:"meta"`
}

// Meta says what a reply rests on.
type Meta struct {
	operation.BatchFacts
	AsOf          model.Date `json:"as_of_date"`
	MethodVersion string     `json:"method_version"`
	ToleranceDays int        `json:"tolerance_days"`
	Refused       int        `json:"refused"` // movements
}

// methodVersion names the rules of the figures.
const methodVersion = "portfolio_v1"

// toleranceDays is how old a quota may be (RULES 1).
const toleranceDays = 7

// Data are the figures of all series together and of each one, and what became of each movement.
type Data struct {
	Total     savings.Figures `json:"total"`
	Holdings  []Holding       `json:"holdings"`
	Movements []Movement      `json:"movements"`
}

// Holding is one series of a portfolio.
type Holding struct {
	SerieID          string         `json:"serieId"`
	RUN              string         `json:"run"`
	Serie            string         `json:"serie"`
	FundName         string         `json:"fundName"`
	Currency         *string        `json:"currency"`
	Quotas           float64        `json:"quotas"`
	Quota            *float64       `json:"quota"` // of the valuation, in the currency; nil if nothing is held
	ValueIn          savings.Figure `json:"value_in_currency"`
	ClosedOn         *model.Date    `json:"closed_on"`
	DistributionDays int            `json:"distributions_not_counted"`
	savings.Figures
	Compared Compared `json:"compared_with"`
}

// Compared says what a holding is compared with: by what was known on the day of its first purchase.
type Compared struct {
	Family      *string     `json:"family"`
	FamilyLater bool        `json:"family_stated_later"`
	Class       *string     `json:"investor_class"`
	ClassLater  bool        `json:"investor_class_stated_later"`
	TACKind     *string     `json:"tac_kind"`
	TAC         *float64    `json:"tac"`
	SerieID     *string     `json:"cheapest_serieId"`
	RUN         *string     `json:"cheapest_run"`
	Serie       *string     `json:"cheapest_serie"`
	FundName    *string     `json:"cheapest_fundName"`
	CheapestTAC *float64    `json:"cheapest_tac"`
	TACDate     *model.Date `json:"cheapest_tac_date"`
}

// Movement is what became of a movement.
type Movement struct {
	Line      int          `json:"line"`
	Series    string       `json:"series"`
	SerieID   *string      `json:"serieId"`
	Date      model.Date   `json:"date"`
	Kind      savings.Kind `json:"kind"`
	Executed  *model.Date  `json:"executed"` // nil if it was refused
	Quota     *float64     `json:"quota"`
	Quotas    *float64     `json:"quotas"`
	Amount    *float64     `json:"amount"`
	AmountCLP *float64     `json:"amount_clp"`
	Reason    *string      `json:"reason"`
}

// replyOf makes the reply of what was found.
func replyOf(p operation.Pinned, f *found) Reply {
	result := f.Compute()
	out := Reply{Data: Data{Total: result.Total, Holdings: []Holding{}, Movements: []Movement{}},
		Meta: Meta{operation.FactsOf(p), f.AsOf, methodVersion, toleranceDays, 0}}
	for _, e := range result.Executions {
		m := Movement{Line: e.Line, Series: e.Series, Date: e.Date, Kind: e.Kind}
		if e.Of != nil {
			m.SerieID = new(operation.IDText(e.Of.ID))
		}
		if m.Reason = given(e.Reason); m.Reason == nil {
			m.Executed = new(f.From.AddDays(e.Day))
			m.Quota, m.Quotas, m.Amount = &e.Quota, &e.Units, &e.InCurrency
			if e.RateGap == "" {
				m.AmountCLP = &e.Pesos
			}
		} else {
			out.Meta.Refused++
		}
		out.Data.Movements = append(out.Data.Movements, m)
	}
	for _, h := range result.Holdings {
		name, row := f.names[h.Of], f.compared[h.Of]
		holding := Holding{SerieID: operation.IDText(h.Of.ID), RUN: name.RUN, Serie: name.Serie, FundName: name.Fund,
			Currency: name.Currency, Quotas: h.Units, ValueIn: h.InCurrency, ClosedOn: h.Closed,
			DistributionDays: h.DistributionDays, Figures: h.Figures}
		if h.Quota > 0 {
			holding.Quota = &h.Quota
		}
		c := Compared{Family: given(row.Family), FamilyLater: row.FamilyLater, Class: given(row.Class),
			ClassLater: row.ClassLater, TACKind: given(row.Kind)}
		if row.Kind != "" {
			c.TAC = &row.Rate
		}
		if row.BestID != 0 {
			c.SerieID, c.RUN, c.Serie, c.FundName = new(operation.IDText(row.BestID)), &row.BestRUN, &row.BestSerie,
				&row.BestFund
			c.CheapestTAC, c.TACDate = &row.BestRate, operation.DateOf(&row.BestMonth)
		}
		holding.Compared = c
		out.Data.Holdings = append(out.Data.Holdings, holding)
	}
	return out
}

// given returns a text, and nil if it is empty.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
