package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// ServedBatch returns the id of the batch from which the service answers; "" while it has none.
func (c *Client) ServedBatch(ctx context.Context) (string, error) {
	header, err := c.get(ctx, "/health", nil, &json.RawMessage{})
	if refused := (*Error)(nil); errors.As(err, &refused) { // it answers, but not from a batch
		err = nil
	}
	return header.Get(batchHeader), err
}

// CompareOptions say of when and what a comparison shows. The zero value is the cutoff of the current batch, with all
// fields.
type CompareOptions struct {
	AsOfDate string
	Fields   []string
	BatchID  string
}

// Compare returns up to 500 series side by side, by their decimal ids.
func (c *Client) Compare(ctx context.Context, ids []string, of CompareOptions) (*Page, error) {
	body := struct {
		Series   []string `json:"series"`
		AsOfDate string   `json:"as_of_date,omitempty"`
		Fields   string   `json:"fields,omitempty"`
	}{ids, of.AsOfDate, strings.Join(of.Fields, ",")}
	var reply screened
	header, err := c.post(ctx, "/api/compare", batchQuery(of.BatchID), body, &reply)
	if err != nil {
		return nil, err
	}
	return reply.page(header), nil
}

// ReturnsBetween returns the return of each series between the quotes of two days, YYYY-MM-DD, and the batch.
func (c *Client) ReturnsBetween(ctx context.Context, ids []string, from, to, batchID string) ([]Period, string, error) {
	query := batchQuery(batchID)
	query.Set("from", from)
	query.Set("to", to)
	query.Set("series", strings.Join(ids, ","))
	var reply struct {
		Data []struct {
			Attributes Period `json:"attributes"`
		} `json:"data"`
	}
	header, err := c.get(ctx, "/api/returns", query, &reply)
	if err != nil {
		return nil, "", err
	}
	var periods []Period
	for _, row := range reply.Data {
		periods = append(periods, row.Attributes)
	}
	return periods, header.Get(batchHeader), nil
}

// Returns returns the windows of a series that end at a date; "" is the cutoff. valuation is accounting, clp or
// real_uf; "" is accounting.
func (c *Client) Returns(ctx context.Context, id, asOf, valuation, batchID string) (*Returns, error) {
	query := batchQuery(batchID)
	if asOf != "" {
		query.Set("as_of_date", asOf)
	}
	if valuation != "" {
		query.Set("valuation", valuation)
	}
	var reply struct {
		Data struct {
			Attributes Returns `json:"attributes"`
		} `json:"data"`
	}
	header, err := c.get(ctx, "/api/real_assets/"+url.PathEscape(id)+"/returns", query, &reply)
	if err != nil {
		return nil, err
	}
	if reply.Data.Attributes.BatchID == "" {
		reply.Data.Attributes.BatchID = header.Get(batchHeader)
	}
	return &reply.Data.Attributes, nil
}

// Explained says which number of a series or of a family to explain. A member that is "" is left to the API.
type Explained struct {
	Series    string // id; "" of a family
	Family    string // familia_rar; "" of a series, but for its place in a family
	Currency  string // of an index: PESOS or DOLAR
	Field     string // price, return, rank, tac, a figure of risk such as risk_score, index or index_change
	Window    string // of a return, such as 1y
	Valuation string // of a return: accounting, clp or real_uf
	Basis     string // of a return: price or total
	Date      string // YYYY-MM-DD
	KnownAt   string // an instant or a day: the number as it was known then
	BatchID   string
}

// query is what to ask the API for.
func (of Explained) query() url.Values {
	query := batchQuery(of.BatchID)
	for name, value := range map[string]string{"series": of.Series, "family": of.Family, "currency": of.Currency,
		"field": of.Field, "window": of.Window,
		"valuation": of.Valuation, "basis": of.Basis, "date": of.Date, "known_at": of.KnownAt} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return query
}

// Explain returns the receipt of a number, which is the answer of the API as it is, and the batch.
func (c *Client) Explain(ctx context.Context, of Explained) (receipt json.RawMessage, batchID string, err error) {
	header, err := c.get(ctx, "/api/explain", of.query(), &receipt)
	return receipt, header.Get(batchHeader), err
}

// Peers returns the list of series among which a receipt tells a place, which is the answer of the API as it is.
func (c *Client) Peers(ctx context.Context, of Explained) (list json.RawMessage, err error) {
	_, err = c.get(ctx, "/api/explain/peers", of.query(), &list)
	return list, err
}

// Corrected says which line of a file would be corrected. A member that is "" is left to the API.
type Corrected struct {
	File    string // hash or name
	Line    int64  // from 1
	Columns string // of cartola_daily, which change, with commas between them
	Rows    int    // the most that are listed of each table
	BatchID string
}

// Affected returns the rows that are computed with a line, which is the answer of the API as it is, and the batch.
func (c *Client) Affected(ctx context.Context, of Corrected) (rows json.RawMessage, batchID string, err error) {
	query := batchQuery(of.BatchID)
	query.Set("file", of.File)
	query.Set("line", strconv.FormatInt(of.Line, 10))
	query.Set("rows", strconv.Itoa(of.Rows))
	if of.Columns != "" {
		query.Set("columns", of.Columns)
	}
	header, err := c.get(ctx, "/api/affected", query, &rows)
	return rows, header.Get(batchHeader), err
}

// Found is what a search found.
type Found struct {
	Meta
	Series []Known
}

// Search finds series, open or closed, by words of their names, by RUN, by RUN and series, or by id.
func (c *Client) Search(ctx context.Context, text string, limit, offset int, batchID string) (*Found, error) {
	query := batchQuery(batchID)
	query.Set("q", text)
	query.Set("limit", strconv.Itoa(limit))
	query.Set("offset", strconv.Itoa(offset))
	var reply struct {
		Data []struct {
			Attributes Known `json:"attributes"`
		} `json:"data"`
		Meta Meta `json:"meta"`
	}
	if _, err := c.get(ctx, "/api/series", query, &reply); err != nil {
		return nil, err
	}
	found := &Found{Meta: reply.Meta}
	for _, row := range reply.Data {
		found.Series = append(found.Series, row.Attributes)
	}
	return found, nil
}

// Funds returns the current mutual funds of all managers.
func (c *Client) Funds(ctx context.Context) ([]Fund, error) {
	var reply struct {
		Data []struct {
			ID         string `json:"id"`
			Attributes Fund   `json:"attributes"`
		} `json:"data"`
	}
	if _, err := c.get(ctx, "/api/conceptual_assets", nil, &reply); err != nil {
		return nil, err
	}
	var funds []Fund
	for _, row := range reply.Data {
		row.Attributes.ID = row.ID
		funds = append(funds, row.Attributes)
	}
	return funds, nil
}

// Ranking is the ranking of managers of a day by equity.
type Ranking struct {
	Date     string
	BatchID  string
	Managers []Manager
}

// Ranking returns the managers by equity, the largest first, at a date; "" is the cutoff.
func (c *Client) Ranking(ctx context.Context, date string) (*Ranking, error) {
	query := url.Values{}
	if date != "" {
		query.Set("date", date)
	}
	var reply struct {
		Data []struct {
			ID         string  `json:"id"`
			Attributes Manager `json:"attributes"`
		} `json:"data"`
		Meta struct {
			Date string `json:"date"`
		} `json:"meta"`
	}
	header, err := c.get(ctx, "/api/agf_stats/ranking", query, &reply)
	if err != nil {
		return nil, err
	}
	ranking := &Ranking{Date: reply.Meta.Date, BatchID: header.Get(batchHeader)}
	for _, row := range reply.Data {
		row.Attributes.ID = row.ID
		ranking.Managers = append(ranking.Managers, row.Attributes)
	}
	return ranking, nil
}

// MarketSummary returns the market of a date by family; "" is the cutoff.
func (c *Client) MarketSummary(ctx context.Context, date string) (*MarketSummary, error) {
	query := url.Values{}
	if date != "" {
		query.Set("date", date)
	}
	var reply struct {
		Meta struct {
			Date string `json:"date"`
		} `json:"meta"`
		Families []Family `json:"families"`
	}
	header, err := c.get(ctx, "/api/market-summary", query, &reply)
	if err != nil {
		return nil, err
	}
	return &MarketSummary{Date: reply.Meta.Date, BatchID: header.Get(batchHeader), Families: reply.Families}, nil
}

// Backtest runs a strategy, which is any value that encodes as the JSON of one, and returns its result as it is.
func (c *Client) Backtest(ctx context.Context, strategy any, batchID string) (json.RawMessage, error) {
	var result json.RawMessage
	_, err := c.post(ctx, "/api/backtests", batchQuery(batchID), strategy, &result)
	return result, err
}
