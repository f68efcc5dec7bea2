package clickhouse

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"sort"
	"strings"

	"github.com/ClickHouse/ch-go/compress"

	"cuota/internal/embedded/clickhouse/chdb"
)

// maxStatementBytes bounds the text of a statement; ClickHouse's own default
// is a quarter of it.
const maxStatementBytes = 1 << 20

// request is what a client asks for.
type request struct {
	who      identity
	queryID  string
	database string
	settings []setting // in a fixed order, so that equal requests share sessions
	params   []chdb.Param

	statement string // without the data and, for an INSERT of data, without its format
	format    string // of the output, or of the data of an INSERT
	verb      string // first word of the statement, in lower case
	data      *spool // of an INSERT of data, else nil

	hello        bool // the driver's opening question
	wholeAnswer  bool // no byte of the answer before its end is known
	gzip         bool // compress the answer as HTTP does
	nativeBlocks bool // compress the answer as ClickHouse's own protocol does
	long         bool // marked as a long statement
}

// driverHello is what clickhouse-go asks first. Its answer can't come from the
// engine: it is encoded for the driver's revision, and must say that all later
// answers are of revision 0.
const driverHello = "SELECT displayName(), version(), revision(), timezone()"

// transportParameters steer the interface; all others are settings or
// param_NAME.
var transportParameters = map[string]bool{
	"query": true, "database": true, "default_format": true, "client_protocol_version": true,
	"compress": true, "decompress": true, "query_id": true, "wait_end_of_query": true, "quota_key": true,
	"user": true, "password": true, "buffer_size": true, "stacktrace": true,
	"enable_http_compression": true, "http_zlib_compression_level": true,
	"add_http_cors_header": true, "session_timeout": true, "session_check": true,
}

var (
	settingName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	parameterName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,127}$`)
	queryIDForm   = regexp.MustCompile(`^[\x21-\x7e]{1,128}$`)
)

// readRequest reads all that a client sends, the data of an INSERT included.
// The caller closes the request's data.
func readRequest(r *http.Request, who identity, parameters url.Values, database, spoolDir string) (*request, error) {
	q := &request{who: who, database: database}
	if err := q.readParameters(r, parameters); err != nil {
		return nil, err
	}
	body, err := decodedBody(r, parameters)
	if err != nil {
		return nil, err
	}
	text := parameters.Get("query")
	if err := q.readStatement(text, body, spoolDir); err != nil {
		return nil, err
	}
	q.hello = parameters.Has("client_protocol_version") && q.statement == driverHello
	if q.data == nil {
		if format := first(parameters.Get("default_format"), r.Header.Get("X-ClickHouse-Format")); format != "" {
			q.format = format
		} else {
			q.format = "TabSeparated"
		}
		var named string
		if named, q.verb = outputFormat(q.statement); named != "" {
			q.format = named
		}
		if !settingName.MatchString(q.format) {
			return nil, unknownFormat(q.format)
		}
	}
	return q, nil
}

func (q *request) readParameters(r *http.Request, parameters url.Values) error {
	switch {
	case parameters.Has("session_id"):
		return newException(codeBadArguments, "The embedded engine keeps no HTTP sessions: leave session_id out and send settings with each request")
	case parameters.Has("role"):
		return newException(codeBadArguments, "The embedded engine has no roles to choose from: leave the parameter role out")
	}
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media == "multipart/form-data" {
		return newException(codeBadArguments, "The embedded engine takes no external tables: join a table of the database, or pass an Array parameter")
	}
	if q.queryID = parameters.Get("query_id"); q.queryID != "" && !queryIDForm.MatchString(q.queryID) {
		return newException(codeBadArguments, "A query_id has 1 to 128 printable characters")
	}
	if name := first(parameters.Get("database"), r.Header.Get("X-ClickHouse-Database")); name != "" {
		q.database = name
	}
	q.wholeAnswer = enabled(parameters.Get("wait_end_of_query"))
	q.nativeBlocks = enabled(parameters.Get("compress"))
	q.gzip = enabled(parameters.Get("enable_http_compression")) && acceptsGzip(r.Header.Get("Accept-Encoding"))

	for name, values := range parameters {
		if transportParameters[name] {
			continue
		}
		if len(values) != 1 {
			return newException(codeBadArguments, "The parameter %.64q is given %d times", name, len(values))
		}
		if param, ok := strings.CutPrefix(name, "param_"); ok {
			if !parameterName.MatchString(param) {
				return newException(codeBadArguments, "Bad name of a query parameter: %.64q", param)
			}
			q.params = append(q.params, chdb.Param{Name: param, Value: values[0]})
			continue
		}
		if !settingName.MatchString(name) {
			return newException(codeUnknownSetting, "Unknown setting %.64q", name)
		}
		q.settings = append(q.settings, setting{name, values[0]})
		q.long = q.long || name == "workload" && values[0] == LongWorkload
	}
	sort.Slice(q.settings, func(i, j int) bool { return q.settings[i].name < q.settings[j].name })
	sort.Slice(q.params, func(i, j int) bool { return q.params[i].Name < q.params[j].Name })
	return nil
}

// readStatement takes the statement from the parameter query and the body, one
// after the other as ClickHouse does, and receives the data of an INSERT.
func (q *request) readStatement(text string, body io.Reader, spoolDir string) error {
	limit := maxStatementBytes
	if q.who == people {
		limit = maxPeopleStatementBytes
	}
	if text != "" {
		text += "\n"
	}
	head, err := io.ReadAll(io.LimitReader(body, max(0, int64(limit-len(text)))+1))
	if err != nil {
		return err
	}
	text += string(head)
	if insert, ok := splitInsert(text); ok {
		if q.who != owner {
			return newException(codeReadonly, "Only the owner may write: people's statements are read-only")
		}
		if insert.data > limit {
			return statementTooLarge(limit)
		}
		q.statement, q.format, q.verb = insert.statement, insert.format, "insert"
		if !settingName.MatchString(q.format) {
			return unknownFormat(q.format)
		}
		q.data, err = receive(io.MultiReader(strings.NewReader(text[insert.data:]), body), spoolDir)
		return err
	}
	if len(text) > limit {
		return statementTooLarge(limit)
	}
	q.statement = strings.TrimSpace(text)
	if q.statement == "" {
		return newException(codeSyntaxError, "Empty query")
	}
	return nil
}

func statementTooLarge(limit int) error {
	return newException(codeTooLarge, "A statement may have %d bytes", limit)
}

func unknownFormat(name string) error {
	return newException(codeFormatUnknown, "Unknown format %.64q", name)
}

// decodedBody undoes what the client did to the body: HTTP's gzip and
// ClickHouse's own block compression.
func decodedBody(r *http.Request, parameters url.Values) (io.Reader, error) {
	var body io.Reader = r.Body
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
	case "gzip":
		unzipped, err := gzip.NewReader(body)
		if errors.Is(err, io.EOF) {
			return bytes.NewReader(nil), nil
		}
		if err != nil {
			return nil, brokenBody(err)
		}
		body = unzipped
	default:
		return nil, newException(codeBadArguments, "Content-Encoding %.32q: the embedded engine takes gzip or none", encoding)
	}
	if enabled(parameters.Get("decompress")) {
		body = newBlockReader(body)
	}
	return bodyReader{body}, nil
}

// bodyReader says of a body that can't be read to its end what that means.
type bodyReader struct{ reader io.Reader }

func (b bodyReader) Read(p []byte) (int, error) {
	n, err := b.reader.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // a wrapped EOF is no clean end
		err = brokenBody(err)
	}
	return n, err
}

func brokenBody(err error) error {
	return newException(codeCannotReadData, "The request's body can't be read to its end, so nothing was stored: %v", err)
}

// blockReader decompresses ClickHouse's own blocks. The reader it is built on
// tells no difference between the end of the data and a block that is cut
// behind its header, so this one counts.
type blockReader struct {
	blocks *compress.Reader
	source *countingReader
}

func newBlockReader(body io.Reader) *blockReader {
	source := &countingReader{reader: body}
	return &blockReader{blocks: compress.NewReader(source), source: source}
}

func (b *blockReader) Read(p []byte) (int, error) {
	before := b.source.n
	n, err := b.blocks.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.EOF
		if b.source.n != before {
			err = io.ErrUnexpectedEOF
		}
	}
	return n, err
}

type countingReader struct {
	reader io.Reader
	n      int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	c.n += int64(n)
	return n, err
}

func acceptsGzip(header string) bool {
	for offer := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(offer), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") && strings.ReplaceAll(quality, " ", "") != "q=0" {
			return true
		}
	}
	return false
}

func enabled(value string) bool { return value == "1" || value == "true" }

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
