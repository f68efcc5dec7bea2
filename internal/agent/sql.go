package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"cuota/client"
)

// Bounds of a statement.
const (
	maxStatement = 8 << 10  // bytes
	maxRows      = 200      // of an answer
	maxLine      = 64 << 10 // bytes of a row or of an error
	sqlTimeout   = 20 * time.Second
)

// Door is the HTTP interface of ClickHouse through which analysts read the database for people. Its user must have
// readonly = 1: with less, a statement could lift every limit and make temporary tables of other servers.
type Door struct {
	address *url.URL
	http    *http.Client
}

// NewDoor makes a door of an address such as http://127.0.0.1:8123. The address may have a user and a password, and
// ?database=NAME; no error repeats it.
func NewDoor(address string) (*Door, error) {
	at, err := url.Parse(address)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.Fragment != "" {
		return nil, errors.New(
			"the address for SQL must be that of ClickHouse's HTTP interface, as in http://127.0.0.1:8123",
		)
	}
	return &Door{at, &http.Client{Timeout: sqlTimeout, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}}, nil
}

// table is what a statement gave.
type table struct {
	columns []string // names with types
	rows    []json.RawMessage
	more    bool // there are more rows
}

// run runs a statement and reads the rows that an answer can hold. What follows is not read.
func (d *Door) run(ctx context.Context, statement string) (*table, error) {
	ctx, cancel := context.WithTimeout(ctx, sqlTimeout)
	defer cancel() // ends a statement whose rows are not read to the end
	target := *d.address
	query := target.Query()
	query.Set("query", statement)
	query.Set("default_format", "JSONCompactEachRowWithNamesAndTypes")
	target.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, errors.New("the statement can't be sent")
	}
	response, err := d.http.Do(request)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, fmt.Errorf("the statement took longer than %v: read fewer days or series", sqlTimeout)
		}
		return nil, errors.New("ClickHouse does not answer at the address for SQL")
	}
	defer func() { _ = response.Body.Close() }() // the rest is not wanted
	if response.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(response.Body, maxLine))
		if err != nil {
			return nil, errors.New("ClickHouse did not answer to the end")
		}
		return nil, refusedStatement(string(text))
	}
	return readTable(response.Body)
}

// readTable reads rows until an answer is full.
func readTable(from io.Reader) (*table, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	var names, types []string
	t := &table{}
	bytes := 0
	for n := 0; lines.Scan(); n++ {
		line := lines.Bytes()
		var err error
		switch {
		case n == 0:
			err = json.Unmarshal(line, &names)
		case n == 1:
			err = json.Unmarshal(line, &types)
		case !json.Valid(line):
			return nil, refusedStatement(string(line)) // it failed after its first rows
		default:
			if bytes += len(line) + 1; len(t.rows) == maxRows || bytes > maxAnswer {
				t.more = true
				return t, nil
			}
			t.rows = append(t.rows, append(json.RawMessage(nil), line...))
		}
		if err != nil {
			return nil, errors.New("the result is not a table: leave out FORMAT and INTO OUTFILE")
		}
		if n == 1 {
			for i := range min(len(names), len(types)) {
				t.columns = append(t.columns, names[i]+" "+types[i])
			}
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, errors.New("a row is longer than an answer may be: choose fewer columns")
	case err != nil:
		return nil, errors.New("ClickHouse did not answer to the end: read fewer days or series")
	}
	return t, nil
}

// refusedStatement is the error for what ClickHouse refused.
func refusedStatement(text string) error {
	if len(text) > 1000 {
		text = strings.ToValidUTF8(text[:1000], "") + "…"
	}
	return fmt.Errorf(
		"ClickHouse refused the statement: %s\nSHOW TABLES lists the tables, DESCRIBE TABLE_NAME columns "+
			"with their units",
		strings.TrimSpace(text),
	)
}

// batch returns the batch from which the door answers.
func (d *Door) batch(ctx context.Context) (id, asOf string, err error) {
	t, err := d.run(ctx, "SELECT batch_id, toString(as_of_date), toString(getSetting('readonly')) FROM published")
	if err != nil {
		return "", "", err
	}
	var row []string
	if len(t.rows) != 1 || json.Unmarshal(t.rows[0], &row) != nil || len(row) != 3 {
		return "", "", errors.New("there is no published batch yet: try again in a minute")
	}
	if row[2] != "1" {
		return "", "", errors.New("the operator must give the tool sql a user of ClickHouse with readonly = 1")
	}
	return row[0], row[1], nil
}

type sqlArguments struct {
	Statement string `json:"statement"`
}

func (s *server) sql() tool {
	return tool{name: "sql", run: func(ctx context.Context, arguments json.RawMessage) (string, error) {
		var given sqlArguments
		if err := readArguments(arguments, &given); err != nil {
			return "", err
		}
		statement := strings.TrimSpace(given.Statement)
		if statement == "" || len(statement) > maxStatement {
			return "", fmt.Errorf("statement: give one SELECT of at most %d bytes", maxStatement)
		}
		if s.config.CountSQL {
			if _, err := s.api.Screener(ctx, client.Screen{Limit: 1, Fields: []string{"serieId"}}); err != nil {
				return "", err
			}
		}
		return s.config.Door.answer(ctx, statement)
	}}
}

// answer runs a statement between two looks at the batch, so that the answer is of the batch that it names.
func (d *Door) answer(ctx context.Context, statement string) (string, error) {
	const attempts = 3
	for range attempts {
		before, asOf, err := d.batch(ctx)
		if err != nil {
			return "", err
		}
		t, err := d.run(ctx, statement)
		if err != nil {
			return "", err
		}
		after, _, err := d.batch(ctx)
		if err != nil {
			return "", err
		}
		if before == after {
			return t.answer(origin{BatchID: before, AsOfDate: asOf, Source: "SQL, database for people"})
		}
	}
	return "", errors.New("new batches were published while the statement ran: try again")
}

func (t *table) answer(of origin) (string, error) {
	return fitting(len(t.rows), func(n int) any {
		of := of
		if n < len(t.rows) || t.more {
			of.Left = fmt.Sprintf(
				"only the first %d rows are here: aggregate, choose fewer columns, or add LIMIT and OFFSET",
				n,
			)
		}
		return struct {
			Columns []string          `json:"columns"`
			Rows    []json.RawMessage `json:"rows"`
			origin
		}{t.columns, t.rows[:n], of}
	})
}
