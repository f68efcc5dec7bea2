package sql

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Format is a format in which ClickHouse itself writes the rows of a statement.
type Format string

// The formats that are offered. Their settings are in formatSettings.
const (
	CSV     Format = "CSVWithNames"
	NDJSON  Format = "JSONEachRow"
	Parquet Format = "Parquet"
	Arrow   Format = "ArrowStream"
)

// Typed is JSON with the names and types of the columns before the rows and the number of rows behind them. The program
// reads it for workbooks.
const Typed Format = "JSONCompact"

// formatSettings are the settings of ClickHouse on which the formats depend, so that a server
// with other defaults writes the same.
var formatSettings = map[string]string{
	"format_csv_null_representation":            "", // an empty text is "", so the two differ
	"date_time_output_format":                   "simple",
	"output_format_json_quote_64bit_integers":   "0", // ids are numbers
	"output_format_json_quote_denormals":        "0",
	"output_format_json_quote_decimals":         "0",
	"output_format_json_escape_forward_slashes": "0",
	// many readers of Arrow lack codecs; HTTP compresses instead
	"output_format_arrow_compression_method":            "none",
	"output_format_arrow_string_as_string":              "1",
	"output_format_arrow_low_cardinality_as_dictionary": "0",
	"output_format_parquet_string_as_string":            "1",
	"output_format_parquet_compression_method":          "zstd",
	"output_format_parquet_row_group_size":              "100000", // a larger group takes more memory
}

// Bounds limit one statement that is streamed. Beyond a limit it fails, and what was written
// until then is not complete.
type Bounds struct {
	Rows  uint64
	Bytes uint64 // of the rows in memory of ClickHouse, not of the format
	Time  time.Duration
	// Background gives the processor to other statements first. The statement uses one thread.
	Background bool
}

// HTTP is ClickHouse's HTTP interface, which writes results in formats of its own. The native
// protocol returns only blocks of columns.
type HTTP struct {
	client   *http.Client
	address  string // as in http://127.0.0.1:8123
	auth     clickhouse.Auth
	settings clickhouse.Settings
}

// Times of a connection to the HTTP interface.
const (
	connectWithin = 5 * time.Second
	keepIdle      = 2 * time.Second // less than ClickHouse keeps a connection, so that none in use is closed
)

// NewHTTP makes a client of the HTTP interface of a server, at its address. The options name the
// user, the database and the settings, and how to connect. It connects to nothing.
func NewHTTP(options *clickhouse.Options, address string) *HTTP {
	dial := (&net.Dialer{Timeout: connectWithin}).DialContext
	if options.DialContext != nil {
		dial = func(ctx context.Context, _, address string) (net.Conn, error) {
			return options.DialContext(ctx, address)
		}
	}
	transport := &http.Transport{
		DialContext: dial, DisableCompression: true, MaxIdleConnsPerHost: 4, IdleConnTimeout: keepIdle,
		TLSHandshakeTimeout: connectWithin, MaxResponseHeaderBytes: 256 << 10,
	}
	if options.TLS != nil {
		transport.TLSClientConfig = options.TLS.Clone()
	}
	return &HTTP{client: &http.Client{Transport: transport, CheckRedirect: noRedirect}, address: address,
		auth: options.Auth, settings: options.Settings}
}

// noRedirect refuses redirects, which could carry the password to another server.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// ErrNoHTTP says that no address of ClickHouse's HTTP interface is known.
var ErrNoHTTP = errors.New("no address of ClickHouse's HTTP interface is known")

// Over returns a reader that streams through the HTTP interface. With nil, Stream fails with
// ErrNoHTTP.
func (r Reader) Over(over *HTTP) Reader {
	r.http = over
	return r
}

// Stream runs a statement and writes its rows to a writer, in a format, as they come. It holds
// one small buffer, so ClickHouse waits for a slow writer. If it fails, what was written is not
// complete. It fails with *ReadError if ClickHouse does not answer or fails midway, or if the
// gate was closed before the end, and with the error of the writer.
func (r Reader) Stream(ctx context.Context, to io.Writer, format Format, limits Bounds, name string,
	args ...any) error {
	text := Query(name)
	if r.asWritten {
		text = QueryAsWritten(name)
	}
	return r.stream(ctx, to, format, limits, name, text, args)
}

func (r Reader) stream(ctx context.Context, to io.Writer, format Format, limits Bounds, name, text string,
	args []any) error {
	if r.http == nil {
		return ErrNoHTTP
	}
	passed, open := r.gate.pass()
	if !open {
		return &ReadError{name, errClosed}
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	values, err := parameters(args)
	if err != nil {
		return fmt.Errorf("run %s.sql: %w", name, err)
	}
	if err := r.conn.stream(ctx, r.http, text, values, format, limits, to); err != nil {
		if errors.As(err, new(writeError)) {
			return err
		}
		return &ReadError{name, err}
	}
	if again, open := r.gate.pass(); !open || again != passed {
		return &ReadError{name, errClosed}
	}
	return nil
}

// writeError is an error of the writer to which rows are streamed.
type writeError struct{ error }

func (e writeError) Unwrap() error { return e.error }

// stream runs a statement under its name.
func (c *namedConn) stream(ctx context.Context, over *HTTP, text string, values url.Values, format Format,
	limits Bounds, to io.Writer) error {
	name, began := c.name(text), time.Now()
	values.Set(CommentSetting, name)
	values.Set(emptyForMissing, "0")
	if of, given := ctx.Value(requestKey{}).(request); given {
		values.Set("query_id", queryID(of.id))
	}
	err := over.stream(ctx, text, values, format, limits, to)
	c.ran(ctx, name, began, err)
	return err
}

func (h *HTTP) stream(ctx context.Context, text string, values url.Values, format Format, limits Bounds,
	to io.Writer) error {
	for name, value := range h.settings {
		if _, given := values[name]; !given {
			values.Set(name, fmt.Sprint(value))
		}
	}
	for name, value := range formatSettings {
		values.Set(name, value)
	}
	values.Set("database", h.auth.Database)
	values.Set("default_format", string(format))
	values.Set("max_result_rows", strconv.FormatUint(limits.Rows, 10))
	values.Set("max_result_bytes", strconv.FormatUint(limits.Bytes, 10))
	values.Set("result_overflow_mode", "throw")
	values.Set("max_execution_time", strconv.FormatFloat(limits.Time.Seconds(), 'f', 3, 64))
	if limits.Background {
		values.Set("max_threads", "1")
		values.Set("os_thread_priority", "19")
	}
	// ClickHouse ends the statement when the connection is closed, if it only reads.
	values.Set("readonly", "2")
	values.Set("cancel_http_readonly_queries_on_client_close", "1")
	values.Set("http_write_exception_in_output_format", "0")
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.address+"/?"+values.Encode(),
		strings.NewReader(text))
	if err != nil {
		return errors.New("the address of the HTTP interface is not valid") // err has the parameters
	}
	request.Header.Set("X-ClickHouse-User", h.auth.Username)
	request.Header.Set("X-ClickHouse-Key", h.auth.Password)
	response, err := h.client.Do(request)
	if err != nil {
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err // without the address, which has the parameters
		}
		return err
	}
	defer func() { _ = response.Body.Close() }() // what was read is complete or has failed
	if response.StatusCode != http.StatusOK {
		why, _ := io.ReadAll(io.LimitReader(response.Body, maxException))
		return exceptionOf(fmt.Sprintf("status %d", response.StatusCode), why)
	}
	// A server without this header ends a result that failed midway like a complete one.
	if response.Header.Get("X-ClickHouse-Exception-Tag") == "" {
		return errors.New("this version of ClickHouse does not mark results that fail midway: use 26.7")
	}
	return copyRows(to, response.Body)
}

// httpError is an exception of ClickHouse that came as text. It is a *clickhouse.Exception too, so
// that it counts like one that came over the native protocol.
type httpError struct {
	text      string
	exception *clickhouse.Exception
}

func (e *httpError) Error() string { return e.text }
func (e *httpError) Unwrap() error { return e.exception }

// exceptionCode is how the text of an exception begins.
var exceptionCode = regexp.MustCompile(`^Code: (\d{1,9})\.`)

// exceptionOf returns the error that a text states. how says where it came.
func exceptionOf(how string, text []byte) error {
	text = bytes.TrimSpace(text)
	found := exceptionCode.FindSubmatch(text)
	if found == nil {
		return fmt.Errorf("%s: %s", how, text)
	}
	code, _ := strconv.ParseInt(string(found[1]), 10, 32) // nine digits fit
	return &httpError{how + ": " + string(text), &clickhouse.Exception{Code: int32(code), Message: string(text)}}
}

// maxException bounds, in bytes, what is kept of the text of an exception.
const maxException = 4 << 10

// copyRows copies a result. If ClickHouse fails midway, it writes the exception behind the rows
// and cuts the connection off; the error then has the text of the exception.
func copyRows(to io.Writer, from io.Reader) error {
	buffer := make([]byte, 64<<10)
	var last []byte
	for {
		count, err := from.Read(buffer)
		if count > 0 {
			if _, err := to.Write(buffer[:count]); err != nil {
				return writeError{err}
			}
			last = append(last, buffer[:count]...)
			last = slices.Clone(last[max(0, len(last)-maxException):])
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			if _, exception, found := bytes.Cut(last, []byte("__exception__\r\n")); found {
				return exceptionOf("failed midway", exception)
			}
			return err
		}
	}
}

// parameters returns the query parameters of a request that bind the arguments of a statement.
func parameters(args []any) (url.Values, error) {
	values := url.Values{}
	for _, arg := range args {
		named, is := arg.(driver.NamedValue)
		if !is {
			return nil, fmt.Errorf("%T is no named argument", arg)
		}
		text, err := parameter(named.Value)
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", named.Name, err)
		}
		values.Set("param_"+named.Name, text)
	}
	return values, nil
}

// escaped writes a text as ClickHouse reads a parameter.
var escaped = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "\x00", `\0`)

func parameter(value any) (string, error) {
	switch value := value.(type) {
	case nil:
		return `\N`, nil
	case string:
		return escaped.Replace(value), nil
	case int, int64, uint8, uint32, uint64, bool:
		return fmt.Sprint(value), nil
	case []uint32:
		texts := make([]string, len(value))
		for i, one := range value {
			texts[i] = strconv.FormatUint(uint64(one), 10)
		}
		return "[" + strings.Join(texts, ",") + "]", nil
	case []string:
		texts := make([]string, len(value))
		for i, one := range value {
			texts[i] = "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(one) + "'"
		}
		return escaped.Replace("[" + strings.Join(texts, ",") + "]"), nil
	}
	return "", fmt.Errorf("%T can't be bound", value)
}
