package funds

import (
	"context"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// FundProfile answers with a fund of any vehicle by its RUN, open or closed: what the registers say about
// it now, and the months for which PortfolioHoldings has positions. The operations of the API
// list the funds of one manager, and only those that are open.
var FundProfile = operation.Endpoint[operation.FundParams, FundFacts]{
	Path: "/pages/funds/{run}", ForPages: true,
	Find: findFundProfile, Parts: []batch.Loader{fundProfilesPart, portfolioMonthsPart},
}

// FundFacts is what FundProfile says of a fund.
type FundFacts struct {
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

// fundProfileRow is a row of fund_profile.sql.
type fundProfileRow struct {
	ID        uint32     `ch:"fund_id"`
	RUN       string     `ch:"run"`
	Name      string     `ch:"name"`
	ShortName *string    `ch:"short_name"`
	Manager   *string    `ch:"manager"`
	Vehicle   string     `ch:"vehicle"`
	Category  *string    `ch:"category"`
	Currency  *string    `ch:"currency"`
	Started   *time.Time `ch:"started"`
	Ended     *time.Time `ch:"ended"`
	Current   bool       `ch:"current"`
}

// fundProfilesPart keeps the funds of the current batch in memory, by RUN with its check digit.
var fundProfilesPart = batch.NewOptionalPart("fund_profiles",
	func(ctx context.Context, s batch.Source) (map[string]fundProfileRow, int, error) {
		found, err := readFundProfiles(ctx, operation.PinnedBy(s), true, 0)
		funds := make(map[string]fundProfileRow, len(found))
		for _, fund := range found {
			funds[fund.RUN] = fund
		}
		return funds, len(found) * 2 * int(unsafe.Sizeof(fundProfileRow{})), err // about half of it is behind pointers
	})

func readFundProfiles(ctx context.Context, p operation.Pinned, all bool, run model.RUN) ([]fundProfileRow, error) {
	return operation.Rows[fundProfileRow](ctx, p, "fund_profile", sql.Arg("run", uint32(run)),
		sql.Arg("all_funds", all))
}

func findFundProfile(ctx context.Context, r *operation.Request[operation.FundParams]) (FundFacts, error) {
	run := r.Params.RUN.RUN
	held, _ := fundProfilesPart.Of(r.Batch)
	f, there := held[run.String()]
	if !there {
		found, err := readFundProfiles(ctx, r.Pinned, false, run)
		if err != nil {
			return FundFacts{}, err
		}
		if len(found) == 0 {
			return FundFacts{}, httpapi.NotFound("There is no fund of this RUN.")
		}
		f = found[0]
	}
	months, err := portfolioMonths(ctx, r.Pinned, run)
	if err != nil {
		return FundFacts{}, err
	}
	facts := FundFacts{
		ID: operation.IDText(f.ID), RUN: f.RUN, Name: f.Name, ShortName: f.ShortName, Manager: f.Manager,
		Vehicle: f.Vehicle, Category: f.Category,
		Currency: f.Currency, Started: operation.DateOf(f.Started), Ended: operation.DateOf(f.Ended),
		Current: f.Current, Months: []string{},
	}
	for _, month := range months {
		if month.Compare(r.Today) <= 0 { // a later one is not over yet
			facts.Months = append(facts.Months, month.Time().Format("2006-01"))
		}
	}
	return facts, nil
}
