// Package feeds has the Atom feeds (RFC 4287) by which programs learn that a batch was published, and which series have
// changed their cost rate.
//
// It stands beside the pages of the market: like them it computes nothing, shows what operations of package query find,
// and is cached until the next batch. Feeds need no key, because a reader of feeds can't send one.
package feeds

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/url"
	"time"

	"github.com/google/uuid"

	"cuota/internal/httpapi"
	"cuota/internal/santiago"
	"cuota/internal/site"
	"cuota/internal/site/marketpages"
	"cuota/model"
	"cuota/query/origin"
	"cuota/query/summary"
)

// The addresses of the feeds.
const (
	BatchesPath = "/lotes.atom"
	CostsPath   = "/tac.atom"
)

// Config configures the feeds.
type Config struct {
	Frame  *site.Frame
	Market marketpages.Market
	// BaseURL is the public address of the service; "" if it is unknown. Then links are relative to the feed.
	BaseURL string
}

// Operations returns the feeds as operations of the HTTP kernel.
func Operations(config Config) []httpapi.Operation {
	return []httpapi.Operation{
		config.operation(BatchesPath, batchEntries),
		config.operation(CostsPath, costEntries),
	}
}

// visit is one request for a feed.
type visit struct {
	*site.Visit
	batch marketpages.Batch
	base  string
}

// link returns the address of a page.
func (v *visit) link(path string) string { return v.base + v.Link(path) }

// The elements of a feed, as RFC 4287 names them.
type feed struct {
	XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
	Lang    string   `xml:"http://www.w3.org/XML/1998/namespace lang,attr"`
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Author  string   `xml:"author>name"`
	Links   []link   `xml:"link"`
	Entries []entry  `xml:"entry"`
}

type link struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Type string `xml:"type,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type entry struct {
	ID      string `xml:"id"`
	Title   string `xml:"title"`
	Updated string `xml:"updated"`
	Link    link   `xml:"link"`
	Summary string `xml:"summary"`
}

// identity returns an id that is the same whenever it is made of the same words, whatever the address of the service.
func identity(words string) string {
	return "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceURL, []byte("cuota "+words)).String()
}

// entriesOf returns the title of a feed, the path of the page of which it is, its entries, and when the newest
// changed.
type entriesOf func(context.Context, *visit) (title, page string, entries []entry, updated time.Time, err error)

// operation makes a feed.
func (config Config) operation(path string, entries entriesOf) httpapi.Operation {
	const content = "application/atom+xml; charset=utf-8"
	return httpapi.NewWebPage(httpapi.WebPage{
		Path: path, Type: content, Keys: []string{site.LanguageKey}, Problem: config.Frame.Problem,
		Answer: func(_ context.Context, c *httpapi.Call, texts url.Values) (httpapi.Answer, error) {
			site.SetHeaders(c.Header)
			batch, there := config.Market()
			if !there {
				return httpapi.Answer{}, site.NoBatch()
			}
			v := &visit{config.Frame.Visit(c.Request, texts), batch, config.BaseURL}
			return httpapi.Answer{
				Version: fmt.Sprintf("%s %s %q", batch.Version(), v.Lang, v.base),
				Make: func(ctx context.Context) (out httpapi.Reply, err error) {
					title, page, list, updated, err := entries(ctx, v)
					if err = batch.Check(ctx, err); err != nil {
						return out, err
					}
					out.Body, err = xml.Marshal(feed{
						Lang: string(v.Lang), ID: identity(path), Title: title, Author: "cuota",
						Updated: updated.Format(time.RFC3339),
						Links: []link{{Rel: "self", Type: "application/atom+xml", Href: v.link(path)},
							{Rel: "alternate", Type: "text/html", Href: v.link(page)}},
						Entries: list,
					})
					out.Body = append([]byte(xml.Header), out.Body...)
					return out, err
				},
			}, nil
		},
	})
}

// find returns what an operation finds in the batch.
func find[R any](ctx context.Context, v *visit, path string, texts url.Values) (out R, err error) {
	found, err := v.batch.Ask(ctx, path, texts)
	if err != nil {
		return out, err
	}
	out, is := found.(R)
	if !is {
		return out, fmt.Errorf("operation %s finds a %T", path, found)
	}
	return out, nil
}

// batchEntries has an entry for each of the last 50 batches.
func batchEntries(ctx context.Context, v *visit) (title, page string, entries []entry, updated time.Time, err error) {
	title, page = v.Say("cuota: lotes publicados", "cuota: published batches"), "/datos"
	found, err := find[origin.Publications](ctx, v, origin.BatchesPath, url.Values{"limit": {"50"}})
	for _, item := range found.Data {
		of := item.Attributes
		if of.PublishedAt.After(updated) {
			updated = of.PublishedAt
		}
		e := entry{ID: identity("batch " + of.ID), Updated: of.PublishedAt.Format(time.RFC3339),
			Title: v.Say("Ningún día está completo todavía", "No day is complete yet"),
			Link:  link{Rel: "alternate", Type: "text/html", Href: v.link(page)},
			Summary: v.Say("Se publicó el lote ", "Batch ") + of.ID +
				v.Say(". La API lo lee con batch_id mientras se conserva.",
					" was published. The API reads it with batch_id as long as it is kept.")}
		if of.AsOf != nil {
			e.Title = v.Say("El mercado al ", "The market on ") + v.Lang.Day(*of.AsOf)
		}
		entries = append(entries, e)
	}
	return title, page, entries, updated, err
}

// feedMonths is how many months the feed of costs has: rates of a month become known over the weeks after it.
const feedMonths = 3

// costEntries has an entry for each of the largest rises and falls of cost rates of the newest months, the newest month
// first.
func costEntries(ctx context.Context, v *visit) (title, page string, entries []entry, updated time.Time, err error) {
	title, page = v.Say("cuota: cambios de TAC", "cuota: changes of cost rates"), "/tac"
	// Rates of an old month may have arrived with the batch.
	newest, err := find[origin.Publications](ctx, v, origin.BatchesPath, url.Values{"limit": {"1"}})
	if err != nil || len(newest.Data) == 0 {
		return title, page, nil, updated, err
	}
	updated = newest.Data[0].Attributes.PublishedAt
	month := "" // a day of it; the newest at first
	for range feedMonths {
		rises, err := changesOf(ctx, v, "up", month)
		if err != nil {
			return title, page, nil, updated, err
		}
		falls, err := changesOf(ctx, v, "down", month)
		if err != nil || rises.Meta.Date == nil {
			return title, page, entries, updated, err
		}
		entries = v.appendChanges(entries, rises, v.Say("sube la TAC", "the TAC rises"))
		entries = v.appendChanges(entries, falls, v.Say("baja la TAC", "the TAC falls"))
		month = rises.Meta.PreviousDate.String()
	}
	return title, page, entries, updated, nil
}

// changesOf finds the largest changes of a month.
func changesOf(ctx context.Context, v *visit, direction, month string) (summary.Changes, error) {
	texts := url.Values{"direction": {direction}, "limit": {"100"}}
	if month != "" {
		texts.Set("date", month)
	}
	return find[summary.Changes](ctx, v, summary.TACChanges.Path, texts)
}

// appendChanges appends an entry for each change of a month.
func (v *visit) appendChanges(entries []entry, changes summary.Changes, verb string) []entry {
	for _, of := range changes.Data {
		month := *changes.Meta.Date
		entries = append(entries, entry{
			ID:      identity(fmt.Sprint("tac ", of.SerieID, month, of.Previous, of.TAC)), // a revised rate is new
			Updated: endOf(month).Format(time.RFC3339),
			Title: fmt.Sprintf("%s, %s: %s, %s → %s", of.FundName, of.Serie, verb,
				v.Lang.Percent(of.Previous, 3), v.Lang.Percent(of.TAC, 3)),
			Link: link{Rel: "alternate", Type: "text/html", Href: v.link("/series/" + url.PathEscape(of.SerieID))},
			Summary: v.Say("TAC anual al fin de ", "Annual cost rate at the end of ") + v.Lang.MonthInWords(month) +
				v.Say(" y al fin del mes anterior, con el mismo método. Administradora: ",
					" and of the month before, by the same method. Manager: ") + of.AGF,
		})
	}
	return entries
}

// endOf returns the end of a month in Santiago, which is what its rates are of. When a rate became known is not stated
// by all sources.
func endOf(month model.Date) time.Time {
	return santiago.NextDay(month.Time().Add(12 * time.Hour)) // at noon UTC it is the same day there
}
