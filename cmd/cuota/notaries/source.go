// Package notaries has the commands cuota prove and check-proof, and what the notary reads of the tables.
package notaries

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"golang.org/x/mod/sumdb/tlog"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/internal/notary"
	"cuota/projector/inspect"
	"cuota/projector/write"
	"cuota/sql"
)

// Source reads the tables of a database; it implements notary.Source.
type Source struct {
	conn      driver.Conn
	inspected func(context.Context) (bool, error)
}

// NewSource makes a source. inspected reports whether the tables were inspected since rows may have been lost.
func NewSource(conn driver.Conn, inspected func(context.Context) (bool, error)) *Source {
	return &Source{sql.Named(conn, "notary"), inspected}
}

// Batches implements notary.Source.
func (s *Source) Batches(ctx context.Context) ([]notary.Batch, error) {
	return sql.Select[notary.Batch](ctx, s.conn, "notary_batches", nil, "query the batches for the log")
}

// Files implements notary.Source.
func (s *Source) Files(ctx context.Context, batch uint64) ([]notary.File, error) {
	number := strconv.FormatUint(batch, 10)
	return sql.Select[notary.File](ctx, s.conn, "notary_files", clickhouse.Parameters{"batch": number},
		"query the files of batch "+number)
}

// Sums implements notary.Source. Tables without rows are left out, because a later version may have more tables.
func (s *Source) Sums(ctx context.Context, batch uint64) (map[string]string, error) {
	list, err := inspect.Sums(ctx, s.conn, batch)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, sum := range list {
		if sum.Rows > 0 {
			sums[sum.Table] = fmt.Sprintf("%016x", sum.Checksum)
		}
	}
	return sums, nil
}

// Heads implements notary.Source.
func (s *Source) Heads(ctx context.Context) ([]notary.Checkpoint, error) {
	found, err := sql.Select[struct {
		Origin string `ch:"origin"`
		Size   uint64 `ch:"size"`
		Root   string `ch:"root"`
	}](ctx, s.conn, "notary_heads", nil, "query the checkpoints of the log")
	if err != nil {
		return nil, err
	}
	heads := make([]notary.Checkpoint, len(found))
	for i, head := range found {
		root, err := tlog.ParseHash(head.Root)
		if err != nil || head.Size > math.MaxInt64 {
			return nil, fmt.Errorf("the table notary_head has the size %d and the root %.80q, which no checkpoint has: delete "+
				"the row", head.Size, head.Root)
		}
		heads[i] = notary.Checkpoint{Origin: head.Origin, Size: int64(head.Size), Root: root}
	}
	return heads, nil
}

// Note implements notary.Source.
func (s *Source) Note(ctx context.Context, head notary.Checkpoint) error {
	return write.Rows(ctx, s.conn, sql.Insert("notary_head"),
		[][]any{{head.Origin, uint64(head.Size), head.Root.String(), time.Now().UTC()}})
}

// Whole implements notary.Source.
func (s *Source) Whole(ctx context.Context) (bool, error) { return s.inspected(ctx) }

// Rules implements notary.Source.
func (s *Source) Rules() string { return sql.Rules() }

// Directory returns the directory of the log that commands work on; "" if there is no notary.
func Directory(s environment.Settings, data string) (string, error) {
	if data == "" && s.Separate() {
		return s.NotaryOr(""), nil
	}
	dir, err := datadir.Open(cmp.Or(data, s.Data))
	if err != nil {
		return "", err
	}
	return s.NotaryOr(dir.Log()), nil
}

// State is what cuota status says of the log. Programs read its JSON, so the names must stay.
type State struct {
	Directory string `json:"directory"`
	Leaves    int64  `json:"leaves"`
	Batch     string `json:"batch_id"` // of the last leaf; "": there is none
	Fault     string `json:"fault"`    // why nothing is appended; "": nothing is wrong
}

// Look returns the state of the log; nil if there is no notary.
func Look(ctx context.Context, s environment.Settings, data string, conn driver.Conn) (*State, error) {
	dir, err := Directory(s, data)
	if err != nil || dir == "" {
		return nil, err
	}
	state := &State{Directory: dir}
	found, err := notary.Examine(ctx, dir, NewSource(conn, nil))
	switch {
	case err == nil:
		state.Leaves, state.Batch = found.Head.Size, found.Last()
	case !errors.Is(err, notary.ErrNoLog):
		state.Fault = err.Error() // also if the log can't be read, because the rest of the status is right
	}
	return state, nil
}
