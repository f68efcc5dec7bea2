package query

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/sql"
)

// pageFund gives a fund of any vehicle by its RUN, open or closed: what the registers say about
// it now, and the months for which portfolioHoldings has positions. The operations of the API
// list the funds of one manager, and only those that are open.
var pageFund = endpoint[fundParams]{
	path: "/pages/funds/{run}", forPages: true,
	answer: answerPageFund,
}

// fundFacts is the whole reply.
type fundFacts struct {
	ID        string      `json:"fundId"` // as concept_id in the lists of funds
	RUN       string      `json:"run"`    // with check digit
	Name      string      `json:"name"`
	ShortName *string     `json:"shortName"`
	Manager   *string     `json:"agf"`
	Vehicle   string      `json:"vehicle"`
	Category  *string     `json:"category"`
	Currency  *string     `json:"currency"` // PESOS, DOLAR or EUR
	Started   *model.Date `json:"started"`
	Ended     *model.Date `json:"ended"` // nil while it is open
	Current   bool        `json:"current"`
	Months    []string    `json:"portfolioMonths"` // YYYY-MM, the newest first
}

func answerPageFund(ctx context.Context, r *request[fundParams]) (httpapi.Reply, error) {
	type fund struct {
		ID        uint32      `ch:"fund_id"`
		RUN       string      `ch:"run"`
		Name      string      `ch:"name"`
		ShortName *string     `ch:"short_name"`
		Manager   *string     `ch:"manager"`
		Vehicle   string      `ch:"vehicle"`
		Category  *string     `ch:"category"`
		Currency  *string     `ch:"currency"`
		Started   *time.Time  `ch:"started"`
		Ended     *time.Time  `ch:"ended"`
		Current   bool        `ch:"current"`
		Months    []time.Time `ch:"months"`
	}
	found, err := rows[fund](ctx, r.pinned, "page_fund", sql.Arg("run", uint32(r.params.RUN.RUN)), sql.Arg("today", r.today.String()))
	if err != nil {
		return httpapi.Reply{}, err
	}
	if len(found) == 0 {
		return httpapi.Reply{}, httpapi.NotFound("There is no fund of this RUN.")
	}
	f := found[0]
	facts := fundFacts{
		ID: idText(f.ID), RUN: f.RUN, Name: f.Name, ShortName: f.ShortName, Manager: f.Manager, Vehicle: f.Vehicle, Category: f.Category,
		Currency: f.Currency, Started: dateOf(f.Started), Ended: dateOf(f.Ended), Current: f.Current, Months: make([]string, len(f.Months)),
	}
	for i, month := range f.Months {
		facts.Months[i] = month.Format("2006-01")
	}
	return httpapi.JSON(facts)
}
