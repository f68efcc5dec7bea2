package explain

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/query/receipt"
	"cuota/query/series"
)

// Peers answers with the list of series among which a receipt tells the place of one, with their values and the
// addresses of the receipts of these.
var Peers = operation.Endpoint[peersParams, httpapi.Item[receipt.List]]{
	Path: peersPath, Check: checkPeers, Find: findPeers,
}

const explainPath, peersPath = "/api/explain", "/api/explain/peers"

// peersParams are those of Explain that a receipt with peers has.
type peersParams struct {
	Series operation.AssetID   `query:"series" required:"true" example:"1161378270" doc:"Decimal id of a series of a mutual fund"`
	Field  string              `query:"field" enum:"rank,risk_score" default:"first" example:"rank" doc:"Which number of the series is explained. rank: its place in the screener by a return. risk_score: as in risk_metrics"`
	Window windowParam         `query:"window" example:"1y" doc:"Window of the return. Required with field=rank"`
	Family string              `query:"family" max:"200" doc:"With field=rank, the place among the series of this family of the regulator (familia_rar), ignoring case"`
	Date   operation.DateParam `query:"date" doc:"End of the window, or the day up to which the month of a score counts, YYYY-MM-DD; absent: the cutoff, of a score the newest month"`
	operation.BatchParams
	operation.KnownAtParams
}

// explained are the parameters of the receipt.
func (p *peersParams) explained() *explainParams {
	return &explainParams{Series: p.Series, Field: p.Field, Window: p.Window, Family: p.Family, Date: p.Date,
		Valuation: "accounting", Basis: "price"}
}

func checkPeers(today model.Date, params *peersParams) []httpapi.Violation {
	return checkExplain(today, params.explained())
}

func findPeers(ctx context.Context, r *operation.Request[peersParams]) (item httpapi.Item[receipt.List], err error) {
	made, err := receiptOf(ctx, r.Call, r.Pinned, r.Params.explained())
	list := receipt.List{Fields: []string{}, Peers: []receipt.Peer{}}
	if made.Peers != nil {
		list = receipt.List{Fields: made.Peers.Fields, Peers: made.Peers.List}
	}
	item.Data = httpapi.NewResource(receiptID(made)+"_peers", "receipt_peers", list)
	return item, err
}

var ruleOfPlaces = receipt.Rule{ID: "screener", SQL: "sql/queries/market.sql",
	Text: "The series that are current at the cutoff and in the same currency are sorted by their price return over the window, the " +
		"greatest first, and equal returns by ascending id. The place of a series is how many come before it, and one. A series " +
		"without the return has no place. Each return is the quote at the end of the window divided by that at the start, less 1; " +
		"over N years it is the N-th root of the quotient, less 1."}

// placeReceipt is the receipt of the place of a series in the screener by a return. Its inputs are those of the return.
func placeReceipt(ctx context.Context, call *httpapi.Call, p operation.Pinned,
	params *explainParams) (receipt.Receipt, error) {
	places, err := market.PlacesOf(ctx, p, market.AskedPlace{Series: params.Series.Series, Family: params.Family,
		Window: string(params.Window), Date: params.Date})
	if err != nil {
		return receipt.Receipt{}, err
	}
	date := params.Date
	if p.Batch.AsOf != nil {
		date = operation.DateParam{Date: places.Day, Given: true}
	}
	made, err := series.ReturnReceipt(ctx, call, p, params.Series, series.AskedReturn{Window: string(params.Window),
		Valuation: "accounting", Basis: "price", Date: date})
	if err != nil {
		return made, err
	}
	own := made.Formula
	made.Subject.Field, made.Rule, made.Unit, made.Value, made.Formula = "rank", ruleOfPlaces, "place", nil, nil
	if places.Place == 0 {
		if made.Reason == nil || *made.Reason != places.Reason { // it does not follow from the quotes of the series
			made.Inputs = []receipt.Input{}
		}
		made.Reason = &places.Reason
		return made, nil
	}
	if own == nil {
		return made, errors.New("the screener has a return of series " + made.Subject.Series + " that has no receipt")
	}
	made.Peers = &receipt.Peers{Own: operation.IDText(places.Own), Fields: []string{"return"}, Currency: places.Currency,
		Family: places.Family, LeftOut: []receipt.LeftOut{}}
	for _, reason := range slices.Sorted(maps.Keys(places.LeftOut)) {
		made.Peers.LeftOut = append(made.Peers.LeftOut, receipt.LeftOut{Reason: reason, Series: places.LeftOut[reason]})
	}
	list := make([]receipt.Peer, len(places.Ranked))
	for i, of := range places.Ranked {
		list[i] = receipt.Peer{Series: operation.IDText(of.Series), RUN: of.RUN, Serie: of.Serie,
			Values: []string{receipt.Decimal(of.Return)}}
	}
	made.Peers.SetList(list)
	addAddresses(&made, params.Date, p.Batch.ID)
	return made, made.SetValue(float64(places.Place), receipt.Place("return", *own))
}

// addAddresses names the list of a receipt, asked for as the receipt was, and the receipts of its values, all from the
// same batch.
func addAddresses(made *receipt.Receipt, asked operation.DateParam, batchID string) {
	query := func(series, field string) url.Values {
		values := url.Values{"series": {series}, "field": {field}, "batch_id": {batchID}}
		if made.Subject.Window != nil {
			values.Set("window", *made.Subject.Window)
		}
		return values
	}
	peers := made.Peers
	own := query(made.Subject.Series, made.Subject.Field)
	if peers.Family != nil {
		own.Set("family", *peers.Family)
	}
	if asked.Given {
		own.Set("date", asked.String())
	}
	peers.Address = peersPath + "?" + own.Encode()
	for i := range peers.List {
		peer := &peers.List[i]
		for _, field := range peers.Fields {
			value := query(peer.Series, field)
			value.Set("date", made.Subject.Date.String())
			peer.Receipts = append(peer.Receipts, explainPath+"?"+value.Encode())
		}
	}
}
