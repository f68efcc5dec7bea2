package door

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// argumentsSQL asks the engine for its views with parameters.
//
//go:embed arguments.sql
var argumentsSQL string

const (
	// maxErrorBytes limits an error that is completed. Longer ones pass unchanged.
	maxErrorBytes = 64 << 10
	// maxViewsBytes limits the list of views.
	maxViewsBytes = 1 << 20
	// viewsPatience limits the time of the question for the views. The error passes unchanged
	// if it takes longer.
	viewsPatience = 2 * time.Second
)

// unknownParameter is the engine's error code for a view that lacks one of its arguments.
const unknownParameter = "456"

// columnless are the engine's error codes for a view with parameters that stands without any: for the
// engine, it is a table without columns.
var columnless = []string{
	"47", // UNKNOWN_IDENTIFIER, of any column
	"48", // NOT_IMPLEMENTED: a column in a subquery is taken for one of the outer statement
	"51", // EMPTY_LIST_OF_COLUMNS_QUERIED, of *
	"90", // EMPTY_LIST_OF_COLUMNS_PASSED, of count() and in joins
}

// statementKey is the context key of the statement of a request.
type statementKey struct{}

// statementOf returns the statement of a request, as far as the door can read it.
func statementOf(r *http.Request, query string, body []byte) string {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "multipart/form-data" ||
		r.Header.Get("Content-Encoding") != "" {
		return query
	}
	return query + "\n" + string(body)
}

// viewWithParameters is a row of arguments.sql.
type viewWithParameters struct {
	Database   string   `json:"database"`
	Name       string   `json:"name"`
	Comment    string   `json:"comment"`
	Parameters []string `json:"parameters"` // their names
	Arguments  string   `json:"arguments"`  // their names and types
}

// hint says what to write. The example is the call in the comment of the view.
func (v viewWithParameters) hint() string {
	hint := fmt.Sprintf("%s is a table with arguments, write all of them: %s", v.Name, v.Arguments)
	if call := regexp.MustCompile("\\b" + regexp.QuoteMeta(v.Name) + `\([^)]*\)`).FindString(v.Comment); call != "" {
		hint += ". For example: SELECT * FROM " + v.Database + "." + call
	}
	return hint
}

// endOfError is what follows the message in an error of the engine.
var endOfError = regexp.MustCompile(`\.? \([A-Z_0-9]+\) \(version [^()]*(\([^()]*\))?\)\s*$`)

// nameArguments completes an error of the engine that comes from a view whose arguments are
// missing: it adds which arguments these are, and an example. Every other reply passes unchanged.
func (h *HTTP) nameArguments(response *http.Response) error {
	code, asked := response.Header.Get("X-ClickHouse-Exception-Code"), response.Request
	statement, _ := asked.Context().Value(statementKey{}).(string)
	if response.StatusCode < http.StatusBadRequest || asked.Method == http.MethodHead ||
		code != unknownParameter && !slices.Contains(columnless, code) {
		return nil
	}
	sent, err := io.ReadAll(io.LimitReader(response.Body, maxErrorBytes+1))
	unchanged := struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(sent), response.Body), response.Body}
	if err != nil {
		return err
	}
	text, readable := unpacked(sent, response.Header.Get("Content-Encoding"))
	at := endOfError.FindIndex(text)
	if !readable || at == nil || !bytes.HasPrefix(text, []byte("Code: ")) {
		response.Body = unchanged
		return nil
	}
	views, err := h.viewsWithParameters(asked)
	if err != nil {
		h.log.Debug().Err(err).Msg("an error of ClickHouse is not completed: its views are not known")
	}
	var hint strings.Builder
	for _, view := range views {
		if view.lacksArguments(code, statement, string(text)) {
			hint.WriteString(". " + view.hint())
		}
	}
	if hint.Len() == 0 {
		response.Body = unchanged
		return nil
	}
	whole := slices.Concat(text[:at[0]], []byte(hint.String()), text[at[0]:])
	_ = response.Body.Close()
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(whole)), int64(len(whole))
	response.TransferEncoding = nil
	response.Header.Set("Content-Length", strconv.Itoa(len(whole)))
	response.Header.Del("Content-Encoding") // every client reads an error that is not compressed
	return nil
}

// unpacked returns an error without its compression, and false if it is not whole, too long or
// compressed in a way that the door does not know.
func unpacked(sent []byte, encoding string) ([]byte, bool) {
	packed := bytes.NewReader(sent)
	var plain io.Reader
	var err error
	switch encoding {
	case "":
		plain = packed
	case "gzip":
		plain, err = gzip.NewReader(packed)
	case "deflate":
		plain, err = zlib.NewReader(packed)
	case "br":
		plain = brotli.NewReader(packed)
	case "lz4":
		plain = lz4.NewReader(packed)
	case "zstd":
		var decoder *zstd.Decoder
		if decoder, err = zstd.NewReader(packed, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(8<<20)); err == nil {
			defer decoder.Close()
			plain = decoder
		}
	default:
		return nil, false
	}
	if err != nil {
		return nil, false
	}
	text, err := io.ReadAll(io.LimitReader(plain, maxErrorBytes+1))
	return text, err == nil && len(text) <= maxErrorBytes
}

// lacksArguments reports whether a statement that ended with an error names the view without its
// arguments.
func (v viewWithParameters) lacksArguments(code, statement, text string) bool {
	name := regexp.MustCompile("\\b" + regexp.QuoteMeta(v.Name) + "\\b[`\"]?\\s*(\\()?")
	for _, found := range name.FindAllStringSubmatch(statement, -1) {
		called := found[1] != ""
		if code != unknownParameter && !called {
			return true
		}
		if code == unknownParameter && called && slices.ContainsFunc(v.Parameters, func(name string) bool {
			return strings.Contains(text, "Substitution `"+name+"` is not set")
		}) {
			return true
		}
	}
	return false
}

// viewsWithParameters asks the engine for the views with parameters, as the user of a request.
func (h *HTTP) viewsWithParameters(of *http.Request) (views []viewWithParameters, err error) {
	ctx, cancel := context.WithTimeout(of.Context(), viewsPatience)
	defer cancel()
	target := *of.URL
	target.Path, target.RawQuery = "/", ""
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(argumentsSQL))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"X-Clickhouse-User", "X-Clickhouse-Key"} {
		if value := of.Header.Get(name); value != "" {
			request.Header.Set(name, value)
		}
	}
	response, err := h.engine.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the engine answers the question for its views with status %d", response.StatusCode)
	}
	for rows := json.NewDecoder(io.LimitReader(response.Body, maxViewsBytes)); ; {
		var view viewWithParameters
		switch err := rows.Decode(&view); err {
		case nil:
			views = append(views, view)
		case io.EOF:
			return views, nil
		default:
			return nil, err
		}
	}
}
