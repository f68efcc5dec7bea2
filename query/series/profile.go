package series

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/query/past"
	"cuota/sql"

	"github.com/shopspring/decimal"
)

// Profile answers with what a series is, alive or closed.
var Profile = operation.Endpoint[profileParams, Profiled]{
	Path: "/pages/series/{asset_id}", ForPages: true, Check: checkProfile,
	Find: findProfile, Known: knownProfile, Parts: []batch.Loader{profilesPart, past.Part},
}

type profileParams struct {
	operation.AssetParams
	operation.AsOfParams
}

func checkProfile(today model.Date, params *profileParams) []httpapi.Violation {
	return operation.CheckAsOf(today, params.AsOf)
}

// until is the last day that a profile at this date shows: by default the cutoff.
func (p *profileParams) until(of operation.Pinned) model.Date {
	if p.AsOf.Given {
		return p.AsOf.Date
	}
	if cutoff := operation.DateOf(of.Batch.AsOf); cutoff != nil {
		return *cutoff
	}
	return operation.LastDayOfAll
}

// catalogueDate is the date of files whose dates are not those of quotas: by default that of the
// newest one.
func (p *profileParams) catalogueDate() model.Date { return p.AsOf.Or(operation.LastDayOfAll) }

// Profiled is what a series is. Most of it is unknown of some series, and then nil.
type Profiled struct {
	ID            string      `json:"id"` // as it was asked for
	RUN           string      `json:"run"`
	Serie         string      `json:"serie"`
	Names         []string    `json:"names"`    // the newest first
	Currency      *string     `json:"currency"` // accounting currency at the date
	Fund          *string     `json:"fund"`
	Manager       *string     `json:"manager"`
	Vehicle       *string     `json:"vehicle"`
	FundEnded     *model.Date `json:"fund_ended"`
	Category      *string     `json:"category"`
	CategorySince *model.Date `json:"category_since"` // the day on which a file first stated this category
	Family        *string     `json:"family"`
	FamilySince   *model.Date `json:"family_since"` // the same
	InvestorClass *string     `json:"investor_class"`
	ClassLater    bool        `json:"class_later"` // no file in force at the date states a class; a newer one states this
	APV           *bool       `json:"apv"`         // a class or a sheet that is in force at the date says so
	Digital       *bool       `json:"digital"`     // as stated by the date
	Qualified     *bool       `json:"qualified"`   // the same
	Alive         bool        `json:"alive"`       // at the cutoff
	First         *model.Date `json:"first_date"`
	Last          *model.Date `json:"last_date"`
	Quota         *float64    `json:"quota"`  // of the last date
	Equity        *float64    `json:"equity"` // full units of the currency
	Shareholders  *uint32     `json:"shareholders"`
	TAC           *float64    `json:"tac"` // fraction
	TACKind       *string     `json:"tac_kind"`
	TACDate       *model.Date `json:"tac_date"`
}

// profileRow is a row of series_profile.sql.
type profileRow struct {
	Fund          *string          `ch:"fund"`
	Manager       *string          `ch:"manager"`
	Vehicle       *string          `ch:"vehicle"`
	FundEnded     *time.Time       `ch:"fund_ended"`
	Category      *string          `ch:"category"`
	CategorySince *time.Time       `ch:"category_since"`
	Family        *string          `ch:"family"`
	FamilySince   *time.Time       `ch:"family_since"`
	InvestorClass *string          `ch:"investor_class"`
	ClassLater    bool             `ch:"class_later"`
	Alive         *bool            `ch:"alive"`
	First         *time.Time       `ch:"first_date"`
	Last          *time.Time       `ch:"last_date"`
	Quota         *decimal.Decimal `ch:"quota"`
	Equity        *decimal.Decimal `ch:"equity"`
	Shareholders  *uint32          `ch:"shareholders"`
	Currency      *string          `ch:"currency"`
	TAC           *float64         `ch:"tac"`
	TACKind       *string          `ch:"tac_kind"`
	TACDate       *time.Time       `ch:"tac_date"`
	facts.Eligibility
}

func findProfile(ctx context.Context, r *operation.Request[profileParams]) (Profiled, error) {
	if kept := keptProfileOf(r.Pinned, r.Params.Asset); kept != nil && r.Params.AsOf.Given {
		row, there, err := kept.on(ctx, r.Pinned, operation.Storable(r.Params.AsOf.Date))
		if err != nil {
			return Profiled{}, err
		}
		if there {
			return row.profile(kept.series(r.Pinned, r.Params.Asset)), nil
		}
	}
	known, err := findNamed(ctx, r.Pinned, r.Params.Asset)
	if err != nil {
		return Profiled{}, err
	}
	found, err := operation.Rows[profileRow](ctx, r.Pinned, "series_profile", sql.Arg("series_id", known.ID),
		sql.Arg("run", known.RUN),
		sql.Arg("as_of", operation.Storable(r.Params.until(r.Pinned)).String()),
		sql.Arg("tac_as_of", r.Params.catalogueDate().String()))
	if err != nil {
		return Profiled{}, err
	}
	var row profileRow
	if len(found) > 0 {
		row = found[0]
	}
	row.ClassLater = row.ClassLater && r.Params.AsOf.Given
	return row.profile(known), nil
}

// knownProfile answers at the cutoff.
func knownProfile(r *operation.Request[profileParams]) (Profiled, bool, error) {
	kept := keptProfileOf(r.Pinned, r.Params.Asset)
	if kept == nil || r.Params.AsOf.Given {
		return Profiled{}, false, nil
	}
	return kept.row.profile(kept.series(r.Pinned, r.Params.Asset)), true, nil
}

// profile returns the profile of a series from its row.
func (row profileRow) profile(of Series) Profiled {
	class := row.InvestorClass
	if row.ClassLater {
		class = nil
	}
	forWhom := row.Eligibility.WithClass(class)
	return Profiled{
		ID: of.public(), RUN: of.run(), Serie: of.Serie, Names: of.names.Names, Currency: row.Currency,
		Fund: row.Fund, Manager: row.Manager, Vehicle: row.Vehicle, FundEnded: operation.DateOf(row.FundEnded),
		Category: row.Category, CategorySince: operation.DateOf(row.CategorySince),
		Family: row.Family, FamilySince: operation.DateOf(row.FamilySince),
		InvestorClass: row.InvestorClass, ClassLater: row.ClassLater,
		APV: forWhom.APV, Digital: forWhom.Digital, Qualified: forWhom.Qualified,
		Alive: row.Alive != nil && *row.Alive,
		First: operation.DateOf(row.First), Last: operation.DateOf(row.Last),
		Quota:        operation.Mapped(row.Quota, decimal.Decimal.InexactFloat64),
		Equity:       operation.Mapped(row.Equity, decimal.Decimal.InexactFloat64),
		Shareholders: row.Shareholders, TAC: row.TAC, TACKind: row.TACKind, TACDate: operation.DateOf(row.TACDate),
	}
}
