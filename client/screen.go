package client

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Screen is a request of the screener. The zero value of a field leaves it out.
type Screen struct {
	Text          string   `json:"q,omitempty"`
	Family        string   `json:"fund_family,omitempty"` // in any case
	InvestorClass string   `json:"investor_class,omitempty"`
	Currency      string   `json:"currency,omitempty"`
	Category      string   `json:"category,omitempty"`
	Manager       string   `json:"administrator,omitempty"` // part of the name
	SpheresMin    int      `json:"cmf_spheres_min,omitempty"`
	SpheresMax    int      `json:"cmf_spheres_max,omitempty"`
	RatedFamily   string   `json:"cmf_family,omitempty"` // exactly
	RatedClass    string   `json:"cmf_investor_type,omitempty"`
	TACKind       string   `json:"tac_kind,omitempty"`
	APV           *bool    `json:"apv,omitempty"`       // for voluntary pension saving; nil: any
	Digital       *bool    `json:"digital,omitempty"`   // marked as digital by the regulator; nil: any
	Qualified     *bool    `json:"qualified,omitempty"` // in a category for qualified investors; nil: any
	Held          *bool    `json:"held,omitempty"`      // somebody holds it; nil: any
	Sort          string   `json:"sort,omitempty"`
	Order         string   `json:"order,omitempty"`
	Limit         int      `json:"limit,omitempty"`
	Offset        int      `json:"offset,omitempty"`
	AsOfDate      string   `json:"as_of_date,omitempty"`
	Fields        []string `json:"-"` // attributes of the API, such as returns.periods.1y
	BatchID       string   `json:"-"`
}

// members returns a screen as a JSON object without its batch.
func (s Screen) members() (map[string]any, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	members := map[string]any{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	if len(s.Fields) > 0 {
		members["fields"] = strings.Join(s.Fields, ",")
	}
	return members, nil
}

func (s Screen) query() (url.Values, error) {
	members, err := s.members()
	if err != nil {
		return nil, err
	}
	query := batchQuery(s.BatchID)
	for name, value := range members {
		switch value := value.(type) {
		case float64: // whole numbers below 2^53
			query.Set(name, strconv.FormatFloat(value, 'f', -1, 64))
		default:
			query.Set(name, fmt.Sprint(value))
		}
	}
	return query, nil
}

// Page is one page of the screener.
type Page struct {
	Meta
	Series []Series
}

// screened is the reply of the screener and of a comparison.
type screened struct {
	Data []struct {
		ID         string `json:"id"`
		Attributes Series `json:"attributes"`
	} `json:"data"`
	Meta Meta `json:"meta"`
}

func (s *screened) page(header http.Header) *Page {
	p := &Page{Meta: s.Meta}
	if p.BatchID == "" {
		p.BatchID = header.Get(batchHeader)
	}
	for _, row := range s.Data {
		row.Attributes.ID = row.ID
		p.Series = append(p.Series, row.Attributes)
	}
	return p
}

// Screener returns one page of the screener.
func (c *Client) Screener(ctx context.Context, s Screen) (*Page, error) {
	query, err := s.query()
	if err != nil {
		return nil, err
	}
	var reply screened
	header, err := c.get(ctx, "/api/screener", query, &reply)
	if err != nil {
		return nil, err
	}
	return reply.page(header), nil
}

// Pages returns the pages of a screen from its offset on, all of the batch of the first one. It ends with an *Error of
// status 410 if that batch is not kept any more, and with another error if the service answers from a different one.
func (c *Client) Pages(ctx context.Context, s Screen) iter.Seq2[*Page, error] {
	return func(yield func(*Page, error) bool) {
		for {
			page, err := c.Screener(ctx, s)
			if err == nil && s.BatchID != "" && page.BatchID != s.BatchID {
				page, err = nil, fmt.Errorf("GET /api/screener: a page is of batch %s and not of %s", page.BatchID, s.BatchID)
			}
			if !yield(page, err) || err != nil {
				return
			}
			s.BatchID, s.Offset = page.BatchID, s.Offset+len(page.Series)
			if len(page.Series) == 0 || s.Offset >= page.Total {
				return
			}
		}
	}
}

// Screens returns the pages of up to 200 screens, all of one batch. The batches that they name are ignored.
func (c *Client) Screens(ctx context.Context, batchID string, screens []Screen) ([]*Page, error) {
	body := struct {
		Screens []map[string]any `json:"screens"`
	}{}
	for _, s := range screens {
		members, err := s.members()
		if err != nil {
			return nil, err
		}
		body.Screens = append(body.Screens, members)
	}
	var reply struct {
		Data []screened `json:"data"`
	}
	header, err := c.post(ctx, "/api/screens", batchQuery(batchID), body, &reply)
	if err != nil {
		return nil, err
	}
	var pages []*Page
	for i := range reply.Data {
		pages = append(pages, reply.Data[i].page(header))
	}
	return pages, nil
}

// batchQuery are the parameters that choose a batch; "" is the current one.
func batchQuery(id string) url.Values {
	query := url.Values{}
	if id != "" {
		query.Set("batch_id", id)
	}
	return query
}
