package marketpages

import (
	"encoding/json"
	"fmt"
	"net/url"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/explain"
	"cuota/query/funds"
	"cuota/query/market"
	"cuota/query/operation"
	"cuota/query/origin"
	"cuota/query/portfolio"
	"cuota/query/series"
	"cuota/query/summary"
)

// readers read the values of operations from their JSON, by path, so that tests can write the values down as
// replies have them.
var readers = map[string]func(body []byte) (any, error){
	summary.Evolution.Path: func(body []byte) (any, error) {
		var months summary.Months
		err := json.Unmarshal(body, &months)
		for _, month := range months.Data {
			for name, value := range month {
				if number, is := value.(float64); is {
					month[name] = &number
				}
			}
		}
		return months, err
	},
}

func init() {
	readsAs(series.Profile)
	readsAs(explain.Explain)
	readsAs(explain.Peers)
	readsAs(series.Events)
	readsAs(series.Sources)
	readsAs(series.ValuedGrowth)
	readsAs(series.OfficialReturns)
	readsAs(series.ChartQuotas)
	readsAs(series.YearsAndFalls)
	readsAs(series.RollingReturns)
	readsAs(series.CostDifference)
	readsAs(series.RateLevels)
	readsAs(series.ExpenseRatioHistory)
	readsAs(series.RiskMetrics)
	readsAs(market.Screener)
	readsAs(market.ScreenerRanking)
	readsAs(market.Compare)
	readsAs(market.ScreenerChoices)
	readsAs(market.Correlations)
	readsAsKept(summary.OfDay)
	readsAsKept(summary.Ranking)
	readsAs(summary.FamilyIndex)
	readsAs(summary.FlowsOfDay)
	readsAs(summary.ManagerChanges)
	readsAs(summary.OfficialReturnsOfFamilies)
	readsAs(summary.OfficialReturnsOfSeries)
	readsAs(summary.OfDayThen)
	readsAs(summary.HistoryOfMarket)
	readsAs(summary.TACChanges)
	readsAs(origin.OfBatch)
	readsAsKept(funds.AssetProviders)
	readsAsKept(funds.ConceptualAssets)
	readsAsKept(funds.RealAssets)
	readsAs(funds.Article107)
	readsAs(funds.Benchmarks)
	readsAs(funds.BenchmarkPrices)
	readsAs(funds.FIInstruments)
	readsAs(funds.FIInstrument)
	readsAs(funds.FIPrices)
	readsAs(funds.FIHoldings)
	readsAs(funds.FISummary)
	readsAs(funds.PortfolioSummary)
	readsAs(funds.PortfolioHoldings)
	readsAs(funds.FundProfile)
	readsAs(funds.Search)
	readsAs(portfolio.OfText)
	readsAs(funds.Closed)
}

func readsAs[P, R any](of operation.Endpoint[P, R]) {
	readers[of.Path] = func(body []byte) (any, error) {
		var found R
		err := json.Unmarshal(body, &found)
		return found, err
	}
}

func readsAsKept[P, R any](of operation.Endpoint[P, operation.Kept[R]]) {
	readers[of.Path] = func(body []byte) (any, error) {
		var found R
		if err := json.Unmarshal(body, &found); err != nil {
			return nil, err
		}
		return operation.Keep(found)
	}
}

// readReturns reads returns of a kind.
func readReturns[A series.AnyReturns](body []byte) (any, error) {
	var item httpapi.Item[A]
	err := json.Unmarshal(body, &item)
	return httpapi.Item[series.AnyReturns]{Data: httpapi.NewResource[series.AnyReturns](item.Data.ID, item.Data.Type,
		item.Data.Attributes)}, err
}

// foundIn returns what an operation finds whose reply to a request with these parameters is this JSON.
func foundIn(path string, texts url.Values, body string) (any, error) {
	read, known := readers[path]
	switch {
	case path != series.Returns.Path:
	case texts.Get("return_basis") == "total":
		read, known = readReturns[series.TotalReturns], true
	case texts.Get("valuation") != "":
		read, known = readReturns[series.AdjustedReturns], true
	default:
		read, known = readReturns[series.PriceReturns], true
	}
	if !known {
		return nil, fmt.Errorf("no test reads what %s finds", path)
	}
	var value any
	if err := json.Unmarshal([]byte(body), &value); err != nil {
		return nil, fmt.Errorf("%s: %w in %s", path, err, body)
	}
	listed, err := json.Marshal(inLists(value))
	if err != nil {
		return nil, err
	}
	found, err := read(listed)
	if err != nil {
		err = fmt.Errorf("%s: %w in %s", path, err, body)
	}
	return found, err
}

// inLists writes as lists what values hold as lists and replies as objects: windows, and kinds of cost rates.
func inLists(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, of := range value {
			object, is := of.(map[string]any)
			switch {
			case is && name == "periods":
				list := make([]any, len(model.Windows))
				for i, window := range model.Windows {
					list[i] = inLists(object[window])
					if list[i] == nil { // a reply has all windows
						list[i] = map[string]any{"reason": "missing_start_quote"}
					}
				}
				value[name] = list
			case is && name == "tac_kinds":
				list := []any{}
				for id, kind := range object {
					list = append(list, operation.TACKind{SeriesID: id, Kind: kind.(string)})
				}
				value[name] = list
			default:
				value[name] = inLists(of)
			}
		}
	case []any:
		for i, of := range value {
			value[i] = inLists(of)
		}
	}
	return value
}
