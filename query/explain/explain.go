// Package explain answers with receipts: how a published number follows from lines of files. The packages of the
// numbers make them (package query/receipt). It also answers the other way round, which numbers follow from a line.
package explain

import (
	"context"
	"slices"
	"strings"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/operation"
	"cuota/query/receipt"
	"cuota/query/series"
	"cuota/query/summary"
)

// Explain answers with the receipt of a quota, a return, a rank by a return, a cost rate or a figure of risk of a
// series, or of a point of the index of a family.
var Explain = operation.Endpoint[explainParams, httpapi.Item[receipt.Receipt]]{
	Path: explainPath, Check: checkExplain, Find: findReceipt,
}

type explainParams struct {
	Series    operation.AssetID       `query:"series" example:"1161378270" doc:"Id of a series: decimal for mutual funds, a UUID for investment funds and ETFs. Required unless there is family"`
	Family    string                  `query:"family" max:"200" doc:"Family of the regulator (familia_rar): for a number of its index, ignoring case and accents; with field=rank, the place among its series, ignoring case"`
	Currency  operation.CurrencyParam `query:"currency" empty:"absent" doc:"Of an index: PESOS or CLP, DOLAR or USD; by default the one in which the family holds most equity"`
	Field     string                  `query:"field" enum:"price,return,rank,tac,volatility_monthly_12m,volatility_monthly_36m,volatility_annualized_12m,volatility_annualized_36m,max_drawdown_36m,risk_score,index,index_change" default:"price" example:"return" doc:"price: the quota value of a day. return: the return over a window. rank: the place of the series in the screener, sorted by this return among the series of its currency, the greatest first. tac: the annual cost rate that is in force at the date. index: the level of the index of a family on a day. index_change: its change since the point before. The others: as in risk_metrics, of the newest month end up to the date"`
	Window    windowParam             `query:"window" example:"1y" doc:"Window of a return. Required with field=return and field=rank"`
	Valuation string                  `query:"valuation" enum:"accounting,clp,real_uf" default:"first" doc:"Valuation of a return, as in returns. accounting: in the currency of the series. clp: dollars become pesos. real_uf: in pesos, deflated by UF. Where an operator has not enabled clp or real_uf, 503 valuation_not_enabled."`
	Basis     string                  `query:"basis" enum:"price,total" default:"first" doc:"Basis of a return, as return_basis in returns. price: of the quota value. total: with distributions reinvested and exchanges followed; not for a series of an investment fund (422). Where an operator has not enabled total, 503 valuation_not_enabled."`
	Date      operation.DateParam     `query:"date" doc:"Day of the quota, or end of the window, YYYY-MM-DD; absent: the cutoff of the batch, of a cost rate or a figure of risk the month of the newest, of an index its newest point"`
	operation.BatchParams
	operation.KnownAtParams
}

// windowParam is the name of a window; "" for none.
type windowParam string

// Choices implements httpapi.Choices.
func (windowParam) Choices() []string { return model.Windows }

// ConstantNames implements httpapi.ConstantNames.
func (windowParam) ConstantNames() []string {
	return []string{"ONE_MONTH", "THREE_MONTHS", "SIX_MONTHS", "ONE_YEAR", "YEAR_TO_DATE", "THREE_YEARS_ANNUALISED",
		"FIVE_YEARS_ANNUALISED", "LAST_CLOSED_MONTH"}
}

func checkExplain(today model.Date, params *explainParams) []httpapi.Violation {
	wrong := operation.CheckAsOf(today, params.Date)
	for i := range wrong {
		wrong[i].Loc = []string{"query", "date"}
	}
	ofFamily := params.Field == "index" || params.Field == "index_change"
	ofWindow := params.Field == "return" || params.Field == "rank"
	switch {
	case ofFamily && params.Family == "":
		wrong = append(wrong, operation.WrongParameter("family", "missing", "Required with field="+params.Field)...)
	case !ofFamily && params.Series == operation.AssetID{}:
		wrong = append(wrong, operation.WrongParameter("series", "missing", "Field required")...)
	case ofFamily && params.Series != operation.AssetID{}:
		wrong = append(wrong, operation.WrongParameter("series", "value_error", "An index is that of a family")...)
	case !ofFamily && (params.Family != "" && params.Field != "rank" || params.Currency != ""):
		wrong = append(wrong, operation.WrongParameter("family", "value_error",
			"Only an index has a family and a currency, and field=rank a family")...)
	case params.Series.IsUUID() && (params.Field == "rank" || params.Field == "risk_score"):
		wrong = append(wrong, operation.WrongParameter("series", "value_error",
			"Must be a series of a mutual fund: those of investment funds have no receipt of field="+params.Field)...)
	}
	switch {
	case ofWindow && params.Window == "":
		wrong = append(wrong, operation.WrongParameter("window", "missing", "Required with field="+params.Field)...)
	case !ofWindow && params.Window != "":
		wrong = append(wrong, operation.WrongParameter("window", "value_error",
			"Only field=return and field=rank have a window")...)
	}
	if params.Field != "return" && params.Valuation != "accounting" {
		wrong = append(wrong, operation.WrongParameter("valuation", "value_error", "Only field=return has a valuation")...)
	}
	switch {
	case params.Basis == "total" && params.Field != "return":
		wrong = append(wrong, operation.WrongParameter("basis", "value_error", "Only field=return has a basis")...)
	case params.Basis == "total" && params.Series.IsUUID():
		wrong = append(wrong, operation.WrongParameter("basis", "unverified_factors",
			"Must be price for a series of an investment fund: no verified factors are known of it")...)
	}
	return wrong
}

func findReceipt(ctx context.Context,
	r *operation.Request[explainParams]) (item httpapi.Item[receipt.Receipt], err error) {
	made, err := receiptOf(ctx, r.Call, r.Pinned, r.Params)
	item.Data = httpapi.NewResource(receiptID(made), "receipt", made)
	return item, err
}

func receiptOf(ctx context.Context, call *httpapi.Call, p operation.Pinned,
	params *explainParams) (made receipt.Receipt, err error) {
	switch params.Field {
	case "return":
		return series.ReturnReceipt(ctx, call, p, params.Series, series.AskedReturn{
			Window: string(params.Window), Valuation: params.Valuation, Basis: params.Basis, Date: params.Date})
	case "rank":
		return placeReceipt(ctx, call, p, params)
	case "tac":
		return series.CostReceipt(ctx, call, p, params.Series, params.Date)
	case "price":
		return series.PriceReceipt(ctx, p, params.Series, params.Date)
	case "index", "index_change":
		return summary.IndexReceipt(ctx, p, summary.AskedIndex{Family: params.Family,
			Currency: params.Currency, Change: params.Field == "index_change", Date: params.Date})
	}
	made, err = series.RiskReceipt(ctx, p, params.Series, params.Field, params.Date)
	if err == nil && made.Peers != nil {
		addAddresses(&made, params.Date, p.Batch.ID)
	}
	return made, err
}

// receiptID is the id of a receipt in replies.
func receiptID(of receipt.Receipt) string {
	text := func(of *string, usual string) string {
		if of == nil || *of == usual {
			return ""
		}
		return *of
	}
	subject, among := of.Subject, ""
	if of.Peers != nil {
		among = text(of.Peers.Family, "")
	}
	return strings.Join(slices.DeleteFunc([]string{subject.Series, text(subject.Family, ""), text(subject.Currency, ""),
		subject.Field, among, text(subject.Window, ""), text(subject.Basis, "price"), text(subject.Valuation, "accounting"),
		subject.Date.String()}, func(part string) bool { return part == "" }), "_")
}
