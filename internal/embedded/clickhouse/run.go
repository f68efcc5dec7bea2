package clickhouse

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"cuota/internal/embedded/clickhouse/chdb"
)

// execute answers one request: it waits for a place in its lane, takes a session,
// lets the engine's parser say what the statement is, and runs it. When it
// returns, session and place are free again; what is left of the answer lies
// in the reply.
func (e *engine) execute(ctx context.Context, method string, q *request, a *reply) error {
	leave, err := e.lane(q).enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	s, err := e.sessions.take(q.who, q.database, q.settings)
	if err != nil {
		return err
	}
	defer e.sessions.give(s)

	class, err := admit(s, q)
	if err != nil {
		return err
	}
	if class != chdb.ReadOnly && (method == http.MethodGet || method == http.MethodHead) {
		return newException(codeReadonly, "Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly: use POST")
	}
	// USE, SET and temporary tables would be seen by the next request.
	s.spent = class > chdb.Mutating

	stop := e.killWith(ctx, s)
	defer stop()
	if q.data != nil {
		err = insert(ctx, s, q, a)
	} else {
		err = answer(ctx, s, q, a)
	}
	if err != nil && ctx.Err() != nil {
		// The engine says that the query was cancelled; why stands in the
		// context.
		return context.Cause(ctx)
	}
	return err
}

func (e *engine) lane(q *request) *lane {
	switch {
	case q.who == people:
		return e.lanes.people
	case q.long:
		return e.lanes.long
	case q.data != nil:
		return e.lanes.write
	case q.verb == "insert", q.verb == "optimize", q.verb == "alter":
		return e.lanes.long
	}
	return e.lanes.quick
}

// admit has the engine's parser say what the statement is, and refuses what
// the identity may not do.
func admit(s *session, q *request) (chdb.Class, error) {
	text := q.statement
	if q.data != nil {
		text += " FORMAT " + q.format
	}
	analysis, err := s.Classify(text)
	if err != nil {
		return chdb.Unknown, err
	}
	switch {
	case analysis.Statements > 1:
		return chdb.Unknown, newException(codeSyntaxError, "Syntax error (Multi-statements are not allowed): send one statement per request")
	case q.who == people:
		return analysis.Class, admitPeople(s, q, analysis)
	case analysis.Statements == 0:
		// Running it would tell the reason, but what doesn't parse as a whole
		// may begin with a statement that runs.
		if _, err := canonical(s, text); err != nil {
			return chdb.Unknown, err
		}
	}
	return analysis.Class, nil
}

// canonical answers the statement as the engine's parser understood it,
// without comments and with each name written in one way only. What doesn't
// parse is the engine's error.
func canonical(s *session, text string) (string, error) {
	const ask = "SELECT formatQuerySingleLine("
	result, err := s.Query(ask+quoteText(text)+")", "TSVRaw", nil)
	if err != nil {
		var failure *chdb.Error
		if errors.As(err, &failure) {
			// The engine adds our question to what is wrong with theirs.
			if reason, _, cut := strings.Cut(failure.Message, ": In scope "+ask); cut {
				return "", &chdb.Error{Message: strings.TrimRight(reason, ". ") + ". (SYNTAX_ERROR)"}
			}
		}
		return "", err
	}
	defer result.Free()
	return string(result.Bytes()), nil
}

// streamable are the formats whose output may be cut into chunks: those
// without a beginning and an end. The library makes each chunk a whole
// document of its format.
var streamable = map[string]bool{
	"native": true, "null": true, "rowbinary": true, "msgpack": true,
	"tabseparated": true, "tsv": true, "tabseparatedraw": true, "tsvraw": true, "raw": true, "tskv": true, "csv": true,
	"jsoneachrow": true, "jsonlines": true, "ndjson": true, "jsoncompacteachrow": true,
	"jsonstringseachrow": true, "jsoncompactstringseachrow": true,
}

// streams tells whether the answer may be sent in chunks as it comes.
func (q *request) streams() bool {
	if q.wholeAnswer || !streamable[strings.ToLower(q.format)] {
		return false
	}
	switch q.verb {
	case "select", "with", "from", "(", "values":
	default:
		return false
	}
	// These add something that stands once in an answer.
	for _, x := range q.settings {
		if x.name == "extremes" || x.name == "output_format_json_array_of_rows" {
			return false
		}
	}
	text := strings.ToLower(q.statement)
	return !strings.Contains(text, "totals") && !strings.Contains(text, "extremes") && !strings.Contains(text, "array_of_rows")
}

func answer(ctx context.Context, s *session, q *request, a *reply) error {
	if !q.streams() {
		return answerWhole(s, q, a)
	}
	stream, err := s.Stream(q.statement, q.format, q.params)
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		chunk, err := stream.Next()
		if err != nil {
			return err
		}
		if chunk == nil {
			return nil
		}
		a.add(chunk.Progress())
		_, err = a.Write(chunk.Bytes())
		chunk.Free()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			s.spent = true
			return err
		}
	}
}

func answerWhole(s *session, q *request, a *reply) error {
	result, err := s.Query(q.statement, q.format, q.params)
	if err != nil {
		return err
	}
	defer result.Free()
	a.add(result.Progress())
	_, err = a.Write(result.Bytes())
	return err
}

// insert gives the data to the engine. Nothing is acknowledged unless all of
// it was stored; a failure on the way cancels the rest.
func insert(ctx context.Context, s *session, q *request, a *reply) error {
	s.spent = true // unless it ends well
	stream, err := s.Insert(q.statement, q.format, q.params)
	if err != nil {
		return err
	}
	defer stream.Close()
	refused := errors.New("refused")
	err = q.data.each(func(piece []byte) error {
		for len(piece) > 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			n := min(len(piece), 1<<20)
			if stream.Append(piece[:n]) != nil {
				return refused // Done tells the reason
			}
			piece = piece[n:]
		}
		return nil
	})
	if err != nil && !errors.Is(err, refused) {
		return err
	}
	progress, err := stream.Done()
	if err != nil {
		return err
	}
	s.spent = false
	a.add(progress)
	return nil
}

func (a *reply) add(p chdb.Progress) {
	a.progress.RowsRead += p.RowsRead
	a.progress.BytesRead += p.BytesRead
	a.progress.RowsWritten += p.RowsWritten
}

// killWith kills what the session runs when ctx ends. The function it answers
// must be called when the statement has ended, and returns when no kill is
// under way any more: a late one would hit the session's next statement.
func (e *engine) killWith(ctx context.Context, s *session) (stop func()) {
	ended, killed := make(chan struct{}), make(chan struct{})
	unwatch := context.AfterFunc(ctx, func() {
		defer close(killed)
		for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
			// A kill that comes before the engine knows the statement does
			// nothing, so it is repeated until the statement has ended.
			_ = e.kill(s)
			select {
			case <-ended:
				return
			case <-time.After(pause):
			}
		}
	})
	return func() {
		close(ended)
		if !unwatch() {
			<-killed
			s.spent = true
		}
	}
}
