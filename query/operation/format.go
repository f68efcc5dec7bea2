package operation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/internal/httpapi"
	"cuota/internal/tablefile"
	"cuota/sql"
)

// FormatParams is the parameter of endpoints whose rows are also given as a table.
type FormatParams struct {
	Format formatParam `query:"format" doc:"Format of the reply. In any but json, the rows are a table with the columns that x-table lists beside the content of the response, without a limit all of them (in xlsx up to 100,000), and there is neither meta nor links: the headers X-Total-Count and Link tell how many rows there are and where the next page is. Absent: the one that the Accept header prefers, else json. An extension of this service."`
}

// formatted is what embeds FormatParams.
type formatted interface{ format() formatParam }

func (p FormatParams) format() formatParam { return p.Format }

// formatParam is a word of formatNames, or empty if absent.
type formatParam string

var formatNames = []string{"json", "csv", "ndjson", "parquet", "arrow", "xlsx"}

// Choices implements httpapi.Choices.
func (formatParam) Choices() []string { return formatNames }

// tableFormat is a format besides JSON.
type tableFormat struct {
	format sql.Format // in which ClickHouse writes it
	media  string
	dense  bool // compresses by itself
	// workbook says that the rows become an Excel workbook.
	workbook bool
}

// content is the Content-Type of replies in the format.
func (f tableFormat) content() string {
	if f.format == sql.CSV {
		return f.media + "; charset=utf-8"
	}
	return f.media
}

// formats are the formats besides JSON, by name.
var formats = map[string]tableFormat{
	"csv":     {format: sql.CSV, media: "text/csv"},
	"ndjson":  {format: sql.NDJSON, media: "application/x-ndjson"},
	"parquet": {format: sql.Parquet, media: "application/vnd.apache.parquet", dense: true},
	"arrow":   {format: sql.Arrow, media: "application/vnd.apache.arrow.stream"},
	"xlsx": {format: sql.Typed, media: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		dense: true, workbook: true},
}

// MediaTypes are the media types of formats.
var MediaTypes = func() (types []string) {
	for _, name := range formatNames {
		if f, there := formats[name]; there {
			types = append(types, f.media)
		}
	}
	return types
}()

// formatOf returns the name of the format of a reply, and "" for JSON. The parameter counts before
// the Accept header.
func formatOf(c *httpapi.Call, asked formatParam) string {
	switch asked {
	case "json":
		return ""
	case "":
		media := c.Preferred(MediaTypes)
		for name, f := range formats {
			if f.media == media {
				return name
			}
		}
		return ""
	}
	return string(asked)
}

// Table is the rows of a reply: a statement of sql/queries, with its arguments besides batch. The
// arguments limit and offset, where a statement has both, choose a page of its rows.
type Table struct {
	Statement string
	Args      []any
	// listing, if set, returns what the headers state. It is for lists whose page is not chosen by
	// limit and offset.
	Listing func(context.Context) (httpapi.Listing, error)
}

// onPage returns how many of so many rows in all the table has.
func (t Table) onPage(total uint64) int64 {
	limit, offset, paged := pageIn(t.Args)
	if !paged {
		return int64(total)
	}
	return min(max(int64(total)-offset, 0), limit)
}

// list returns what the headers of the table state.
func (t Table) list(ctx context.Context, c *httpapi.Call, p Pinned) (httpapi.Listing, error) {
	if t.Listing != nil {
		return t.Listing(ctx)
	}
	_, offset, paged := pageIn(t.Args)
	if !paged {
		total, err := sql.Count(ctx, p.Reader, t.Statement,
			append(slices.Clone(t.Args), sql.Arg("batch", p.Batch.Number))...)
		return httpapi.Listing{Total: total}, err
	}
	total, err := CountPages(ctx, p, t.Statement, t.Args)
	return httpapi.Listing{Total: total, Next: c.NextPage(offset, int(t.onPage(total)), total, p.Batch.ID)}, err
}

// pageIn returns the page that the arguments of a statement choose. paged is false if they have no
// limit and offset.
func pageIn(args []any) (limit, offset int64, paged bool) {
	found := 0
	for _, arg := range args {
		switch named := arg.(driver.NamedValue); named.Name {
		case "limit":
			limit, found = named.Value.(int64), found+1
		case "offset":
			offset, found = named.Value.(int64), found+1
		}
	}
	return limit, offset, found == 2
}

// CountPages returns how many rows a statement has on all of its pages.
func CountPages(ctx context.Context, p Pinned, statement string, args []any) (uint64, error) {
	all := []any{sql.Arg("batch", p.Batch.Number)}
	for _, arg := range args {
		switch arg.(driver.NamedValue).Name {
		case "limit":
			arg = sql.Arg("limit", int64(streamBounds.Rows))
		case "offset":
			arg = sql.Arg("offset", int64(0))
		}
		all = append(all, arg)
	}
	return sql.Count(ctx, p.Reader, statement, all...)
}

// CutPage returns the rows of a page and what the headers state of the list. The rows were read with these arguments,
// one more than the page has, which shows whether there is a next page. It asks ClickHouse for the total only if the
// page does not show it.
func CutPage[P, T any](ctx context.Context, r *Request[P], rows []T, statement string,
	args []any) (page []T, of httpapi.Listing, err error) {
	limit, offset, _ := pageIn(args)
	limit--
	if of.Total = uint64(offset) + uint64(len(rows)); int64(len(rows)) <= limit && (len(rows) > 0 || offset == 0) {
		return rows, of, nil
	}
	if of.Total, err = CountPages(ctx, r.Pinned, statement, args); err != nil {
		return nil, of, err
	}
	if int64(len(rows)) > limit {
		rows = rows[:limit]
		of.Next = r.Call.LinkTo("offset", strconv.FormatInt(offset+limit, 10), r.Batch.ID)
	}
	return rows, of, nil
}

// streamBounds limit the rows of one reply. The longest one that can be asked for, the returns of
// 31 days, has half a million rows in a market of 15,000 series. The time is that in which a
// client must have read the reply, which the HTTP server enforces too.
var streamBounds = sql.Bounds{Rows: 2_000_000, Bytes: 1 << 30, Time: time.Minute}

// stream returns a reply whose rows ClickHouse writes.
func (h *Host) stream(ctx context.Context, c *httpapi.Call, p Pinned, format string,
	of func(context.Context) (Table, error)) (httpapi.Stream, error) {
	if h.ClickHouse == nil {
		return httpapi.Stream{}, &httpapi.Problem{Status: http.StatusNotImplemented, Code: "format_unavailable",
			Detail: "This server answers in JSON only. Its operator must set CUOTA_CLICKHOUSE_HTTP for other formats."}
	}
	f := formats[format]
	p.reads = nil // rows that are streamed are not noted
	named := c.NamedVersion()
	rows, err := of(ctx)
	var listing httpapi.Listing
	if err == nil {
		listing, err = rows.list(ctx, c, p)
	}
	if err = h.StillReadable(ctx, named, p, err); err != nil {
		return httpapi.Stream{}, err
	}
	if f.workbook && rows.onPage(listing.Total) > maxWorkbookRows {
		return httpapi.Stream{}, tooLong()
	}
	return httpapi.Stream{Type: f.content(), File: c.FileName() + "." + format, Dense: f.dense, Listing: &listing,
		Write: func(ctx context.Context, to io.Writer) error {
			ctx = WithRequestID(ctx)
			if f.format == sql.CSV {
				to = tablefile.NewInertCSV(to)
			}
			args := append(slices.Clone(rows.Args), sql.Arg("batch", p.Batch.Number))
			write := func(to io.Writer) error {
				return p.Reader.Stream(ctx, to, f.format, streamBounds, rows.Statement, args...)
			}
			if !f.workbook {
				return h.StillReadable(ctx, named, p, write(to))
			}
			readable := func(err error) error { return h.StillReadable(ctx, named, p, err) }
			return workbook(to, write, readable, tablefile.Note{Name: "Lote", Text: p.Batch.ID},
				tablefile.Note{Name: "Consulta", Text: c.Request.RequestURI})
		}}, nil
}

// Bounds of a workbook, which is made in memory.
const (
	maxWorkbookRows  = 100_000
	maxWorkbookCells = 4_000_000
)

func tooLong() error {
	return httpapi.Invalid(WrongParameter("format", "too_long", fmt.Sprintf(
		"Must be csv or parquet, or fewer rows must be asked for: a workbook has at most %d rows and %d cells",
		maxWorkbookRows, maxWorkbookCells)))
}

// workbook writes a workbook with the rows that write makes in the format sql.Typed. Nothing is sent before all rows
// were read. readable then says whether they are whole, and returns its error or another one.
func workbook(to io.Writer, write func(io.Writer) error, readable func(error) error, notes ...tablefile.Note) error {
	rows, written := io.Pipe()
	type made struct {
		book *tablefile.Writer
		err  error
	}
	making := make(chan made, 1)
	go func() {
		book, err := tablefile.WorkbookOf(rows, to, maxWorkbookRows, maxWorkbookCells, notes...)
		_ = rows.CloseWithError(io.ErrClosedPipe) // so that write ends too
		making <- made{book, err}
	}()
	err := write(written)
	_ = written.CloseWithError(err) // never fails
	done := <-making
	if done.book != nil {
		defer func() { _ = done.book.Close() }() // what it holds is not needed any more
	}
	if err == nil || errors.Is(err, io.ErrClosedPipe) {
		err = done.err
	}
	if errors.Is(err, tablefile.ErrTooLong) {
		return tooLong()
	}
	if err = readable(err); err != nil {
		return err
	}
	return done.book.End()
}

// GivenLimit returns the limit of a page, or the most rows that a stream may have if the caller
// named none: a table is not cut into pages unless the caller wants them.
func GivenLimit(c *httpapi.Call, limit int64) int64 {
	if hasLimit(c) {
		return limit
	}
	return int64(streamBounds.Rows)
}

func hasLimit(c *httpapi.Call) bool { return c.Request.URL.Query().Has("limit") }
