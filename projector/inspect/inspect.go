// Package inspect finds what is missing from the tables: it compares how many rows each has with
// what the published batches have noted, reads parts, and records which batches are damaged. It
// also sums up the rows of a batch, and compares them between two copies of the tables.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/projector/write"
	"cuota/sql"
)

// Damage is the result of an inspection. The zero value means that nothing is missing.
type Damage struct {
	Batch  uint64        // the newest published batch; 0 if there is none
	Tables []TableDamage // sorted by table
	// Files are the hashes of the files whose facts or manifests are missing. Publishing
	// these files again restores them.
	Files []string
	anew  bool
}

// TableDamage says what is missing from one table.
type TableDamage struct {
	Table  string // or the dataset, if only its files are known
	Reason string
	// Fact is true for rows that come from files, and false for rows that are computed.
	Fact bool
}

// None reports whether nothing is missing.
func (d Damage) None() bool { return len(d.Tables) == 0 && len(d.Files) == 0 && !d.anew }

// Anew reports whether every day must be built again.
func (d Damage) Anew() bool { return d.anew }

// FactsMissing reports whether facts are missing, so that a batch would be wrong.
func (d Damage) FactsMissing() bool {
	return slices.ContainsFunc(d.Tables, func(t TableDamage) bool { return t.Fact })
}

// String lists the damaged tables with the reasons.
func (d Damage) String() string {
	if len(d.Tables) == 0 {
		return "nothing is missing"
	}
	reasons := make([]string, len(d.Tables))
	for i, t := range d.Tables {
		reasons[i] = t.Table + ": " + t.Reason
	}
	return strings.Join(reasons, "; ")
}

// Config configures an Inspector.
type Config struct {
	// Settle records which files have become complete.
	Settle func(context.Context) error
	// Inspecting, if set, is called when an inspection begins. The function that it returns is
	// called when the findings are stored.
	Inspecting func() (stored func())
	// Now is the clock.
	Now func() time.Time
}

// Inspector inspects the tables, and remembers the state in which they were last inspected.
// Several goroutines may use it at once.
type Inspector struct {
	config Config
	conn   driver.Conn
	log    zerolog.Logger
	now    func() time.Time

	suspect  atomic.Bool            // the engine has ended since the last inspection
	mu       sync.Mutex             // one inspection at a time; guards what follows
	of       map[string]tablesState // by server, because one address may lead to several servers
	clean    bool                   // the last inspection found nothing
	limited  bool                   // the log already says that the user may not check parts
	reported string                 // the damage that the log already reports
}

// New makes an Inspector for the tables of a database.
func New(config Config, conn driver.Conn, log zerolog.Logger) *Inspector {
	return &Inspector{config: config, conn: conn, log: log, now: config.Now}
}

// tablesState is the state of a server on which the result of an inspection depends.
// ClickHouse ignores parts that it can't read when it starts, and sets aside parts that it
// can't read later.
type tablesState struct {
	Server  string
	Started int64 // Unix seconds; may differ by a second or two between reads
	Broken  uint64
}

func (s tablesState) same(other tablesState) bool {
	off := s.Started - other.Started
	return s.Server == other.Server && s.Broken == other.Broken && off >= -2 && off <= 2
}

// knows reports whether the tables were inspected in this state.
func (i *Inspector) knows(state tablesState) bool {
	inspected, known := i.of[state.Server]
	return known && inspected.same(state) && !i.suspect.Load()
}

// Suspect makes the next look inspect the tables. It is called when ClickHouse has ended.
func (i *Inspector) Suspect() { i.suspect.Store(true) }

// state reads the state from the server.
func (i *Inspector) state(ctx context.Context) (tablesState, error) {
	var s tablesState
	err := i.conn.QueryRow(ctx, sql.Query("server_state")).Scan(&s.Server, &s.Started)
	if err != nil {
		return s, fmt.Errorf("query the start time of ClickHouse: %w", err)
	}
	if err = i.conn.QueryRow(ctx, sql.Query("parts_set_aside")).Scan(&s.Broken); err != nil && !i.mayNot(err) {
		return s, fmt.Errorf("query the parts that ClickHouse has detached: %w", err)
	}
	return s, nil
}

// accessDenied is ClickHouse's error code for a statement that the user may not run.
const accessDenied = 497

// mayNot reports whether err means that the projector's user may not check parts. It logs
// that once. Rows are counted in any case.
func (i *Inspector) mayNot(err error) bool {
	exception := (*clickhouse.Exception)(nil)
	if !errors.As(err, &exception) || exception.Code != accessDenied {
		return false
	}
	if !i.limited {
		i.limited = true
		i.log.Warn().Err(err).Msg(
			"the ClickHouse user of the projector may not check parts, so damaged bytes are found only when they are " +
				"read; grant the rights in docs/servers.md")
	}
	return true
}

// Look inspects the tables if ClickHouse was restarted or has set a part aside since the
// last inspection, or if the last inspection found damage.
func (i *Inspector) Look(ctx context.Context) (Damage, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	state, err := i.state(ctx)
	if err != nil {
		return Damage{}, err
	}
	known := i.knows(state)
	if known && i.clean {
		return Damage{}, nil
	}
	return i.inspect(ctx, state, !known)
}

// Restarted reports whether the state has changed since the last inspection.
func (i *Inspector) Restarted(ctx context.Context) (bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	state, err := i.state(ctx)
	return err == nil && !i.knows(state), err
}

// Inspected reports whether the state is that of the last inspection. During one it returns false at once.
func (i *Inspector) Inspected(ctx context.Context) (bool, error) {
	if !i.mu.TryLock() {
		return false, nil
	}
	defer i.mu.Unlock()
	state, err := i.state(ctx)
	return err == nil && i.knows(state), err
}

// Inspect reads every part of every table, and compares the number of rows with the notes
// of the published batches. When it returns, its findings are in batch_damage, so that
// damaged batches are not answered from. It detaches parts that can't be read, and restores
// ids that only one copy of the registry still has. The next batch repairs other computed
// rows. Facts come back when their files are published again.
func (i *Inspector) Inspect(ctx context.Context) (Damage, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	state, err := i.state(ctx)
	if err != nil {
		return Damage{}, err
	}
	return i.inspect(ctx, state, true)
}

// inspect does the work of Inspect. If thorough is false, it counts rows but does not read
// parts. The caller holds mu.
func (i *Inspector) inspect(ctx context.Context, state tablesState, thorough bool) (Damage, error) {
	i.suspect.Store(false) // if the engine ends after this point, another inspection is needed
	begun, stored := time.Now(), func() {}
	if i.config.Inspecting != nil {
		stored = i.config.Inspecting()
	}
	found, err := i.findDamage(ctx, thorough)
	if err != nil {
		i.suspect.Store(true)
		return found, err
	}
	if i.of == nil {
		i.of = map[string]tablesState{}
	}
	i.of[state.Server], i.clean = state, found.None()
	again := i.reported == found.String()
	i.reported = found.String()
	for _, table := range found.Tables {
		if again {
			break
		}
		i.log.Error().Uint64("batch", found.Batch).Str("table", table.Table).Str("reason",
			table.Reason).Msg("stored rows are damaged")
	}
	if thorough && found.Batch != 0 {
		i.log.Info().Uint64("batch", found.Batch).Int("damaged_tables", len(found.Tables)).Int("files_to_restore",
			len(found.Files)).
			Dur("took_ms", time.Since(begun)).Msg("inspected the tables")
	}
	stored()
	return found, nil
}

// keptBatch is a published batch that is not retired.
type keptBatch struct {
	Number    uint64 `ch:"batch"`
	ID        string `ch:"batch_id"` // its public name
	Noted     bool   `ch:"noted"`
	NotesLost bool   `ch:"notes_lost"`
	Damaged   bool   `ch:"damaged"`
}

func (i *Inspector) findDamage(ctx context.Context, thorough bool) (Damage, error) {
	if thorough {
		if err := i.setAside(ctx); err != nil {
			return Damage{}, err
		}
		if err := i.forgetIncomplete(ctx); err != nil {
			return Damage{}, err
		}
	}
	if err := i.restoreRegistry(ctx); err != nil {
		return Damage{}, err
	}
	if err := i.conn.Exec(ctx, sql.Query("restore_manifests")); err != nil {
		return Damage{}, fmt.Errorf("restore the manifests of complete files: %w", err)
	}
	kept, err := keptBatches(ctx, i.conn)
	if err != nil || len(kept) == 0 {
		return Damage{}, err
	}
	newest := kept[0]
	found := Damage{Batch: newest.Number, anew: !newest.Noted || newest.Damaged}
	if newest.NotesLost { // nothing is known of the computed rows, so all of them are built anew
		found.Tables = append(found.Tables,
			TableDamage{notesTable, "the recorded row counts of the published batch are missing", false})
		found.anew = true
	}
	missing, err := missingFrom(ctx, i.conn, newest)
	if err != nil {
		return Damage{}, err
	}
	found.add(missing)
	shared := slices.ContainsFunc(missing, MissingRows.shared) // older batches read the missing rows too
	if err := i.addUnlisted(ctx, &found); err != nil {
		return Damage{}, err
	}
	if err := i.condemn(ctx, newest, found.Tables); err != nil {
		return Damage{}, err
	}
	var own map[uint64][]MissingRows
	if thorough && !shared {
		if own, err = compareOlder(ctx, i.conn, kept[1:]); err != nil {
			return Damage{}, err
		}
	}
	for _, older := range kept[1:] {
		damage := found
		if !shared {
			damage = Damage{}
			damage.add(own[older.Number])
		}
		if err := i.condemn(ctx, older, damage.Tables); err != nil {
			return Damage{}, err
		}
	}
	return found, nil
}

// setAside reads every part, and detaches the parts that can't be read. Their rows then
// count as missing.
func (i *Inspector) setAside(ctx context.Context) error {
	tables, err := sql.SelectValues[string](ctx, i.conn, sql.Query("stored_tables"))
	if err != nil && i.mayNot(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the tables: %w", err)
	}
	for _, table := range tables {
		broken, err := i.unreadable(ctx, table)
		if err != nil {
			if i.mayNot(err) {
				return nil
			}
			return fmt.Errorf("check the parts of %s: %w", table, err)
		}
		for _, part := range broken {
			i.log.Error().Str("table", table).Str("part", part.name).Str("reason",
				part.reason).Msg("a part can't be read, so it is detached")
			values := sql.WithParameters(ctx, clickhouse.Parameters{"table": table, "part": part.name})
			if err := i.conn.Exec(values, sql.Query("detach_part")); err != nil {
				return fmt.Errorf("detach part %s of %s: %w", part.name, table, err)
			}
		}
	}
	return nil
}

// forgetIncomplete removes files from the list of complete files if facts of them are
// missing and no published batch includes them, because no batch has notes about such
// files. They become complete again when their facts arrive again.
func (i *Inspector) forgetIncomplete(ctx context.Context) error {
	for before := ""; ; {
		var files uint64
		var list string
		if err := i.conn.QueryRow(ctx, sql.Query("incomplete_files")).Scan(&files, &list); err != nil {
			return fmt.Errorf("query complete files with missing facts: %w", err)
		}
		switch {
		case files == 0:
			return nil
		case list == before:
			return fmt.Errorf("%d files with missing facts are still listed as complete", files)
		}
		before = list
		i.log.Error().Uint64("files",
			files).Msg("facts of files that no batch includes yet were lost; the files wait until their facts arrive " +
			"again, for example by cuota repair")
		if err := i.conn.Exec(sql.WithParameters(ctx, clickhouse.Parameters{"files": list}),
			sql.Query("forget_files")); err != nil {
			return fmt.Errorf("list files as incomplete: %w", err)
		}
	}
}

type unreadablePart struct{ name, reason string }

func (i *Inspector) unreadable(ctx context.Context, table string) ([]unreadablePart, error) {
	rows, err := i.conn.Query(sql.WithParameters(ctx, clickhouse.Parameters{"table": table}), sql.Query("check_table"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var broken []unreadablePart
	for rows.Next() {
		var where, reason string
		var passed uint8
		if err := rows.Scan(&where, &passed, &reason); err != nil {
			return nil, err
		}
		if passed == 0 {
			broken = append(broken, unreadablePart{path.Base(strings.TrimSuffix(where, "/")), reason})
		}
	}
	return broken, rows.Err()
}

// restoreRegistry restores the ids that only one of the two copies of the registry has.
func (i *Inspector) restoreRegistry(ctx context.Context) error {
	var lost uint64
	if err := i.conn.QueryRow(ctx, sql.Query("lost_ids")).Scan(&lost); err != nil {
		return fmt.Errorf("query lost ids: %w", err)
	}
	if lost == 0 {
		return nil
	}
	if err := i.conn.Exec(ctx, sql.Query("restore_registry")); err != nil {
		return fmt.Errorf("restore %d ids: %w", lost, err)
	}
	i.log.Warn().Uint64("ids", lost).Msg("restored ids that were missing in registry from registry_copy")
	return nil
}

// MissingRows is a table, or a day or file of it, whose number of rows differs from the
// note. Programs read its JSON, so its names must not change.
type MissingRows struct {
	Table  string `ch:"of_table" json:"table"` // or the dataset, if the note of the file was lost
	Piece  string `ch:"of_piece" json:"piece"` // day or file; empty for all rows of the batch
	Noted  uint64 `ch:"noted_rows" json:"noted_rows"`
	Stored uint64 `ch:"stored_rows" json:"stored_rows"`
	Fact   bool   `ch:"is_fact" json:"-"` // the piece is the hash of a file
}

// Missing compares the rows of the newest published batch with the notes. It returns batch
// 0 if no batch is published.
func Missing(ctx context.Context, conn driver.Conn) (batch uint64, missing []MissingRows, err error) {
	kept, err := keptBatches(ctx, conn)
	if err != nil || len(kept) == 0 {
		return 0, nil, err
	}
	missing, err = missingFrom(ctx, conn, kept[0])
	return kept[0].Number, missing, err
}

// missingFrom compares the rows that the newest published batch reads with the notes. If the
// batch's own notes were lost, only facts are compared, with the notes of other batches. Facts
// without a note are compared with the manifests of their files.
func missingFrom(ctx context.Context, conn driver.Conn, newest keptBatch) (missing []MissingRows, err error) {
	if newest.Noted {
		if missing, err = compareNotes(ctx, conn, newest.Number); err != nil {
			return nil, err
		}
	}
	if newest.NotesLost {
		missing = slices.DeleteFunc(missing, func(m MissingRows) bool { return !m.Fact })
	}
	var lost []MissingRows
	values := clickhouse.Parameters{"batch": strconv.FormatUint(newest.Number, 10)}
	if err := conn.Select(sql.WithParameters(ctx, values), &lost, sql.Query("lost_facts")); err != nil {
		return nil, fmt.Errorf("query files with missing facts: %w", err)
	}
	return append(missing, lost...), nil
}

// keptBatches lists the published batches that are not retired, the newest first.
func keptBatches(ctx context.Context, conn driver.Conn) (kept []keptBatch, err error) {
	if err := conn.Select(ctx, &kept, sql.Query("published_batches")); err != nil {
		return nil, fmt.Errorf("list the published batches: %w", err)
	}
	return kept, nil
}

// shared reports whether older batches read the same rows.
func (m MissingRows) shared() bool {
	return m.Piece != "" || m.Table == "batch_new_file"
}

// compareNotes compares the rows that a batch reads with the notes.
func compareNotes(ctx context.Context, conn driver.Conn, batch uint64) ([]MissingRows, error) {
	values := clickhouse.Parameters{"batch": strconv.FormatUint(batch, 10)}
	var missing []MissingRows
	if err := conn.Select(sql.WithParameters(ctx, values), &missing, sql.Query("damage")); err != nil {
		return nil, fmt.Errorf("compare the rows of batch %d with its recorded row counts: %w", batch, err)
	}
	return missing, nil
}

// compareOlder compares the rows that only these batches read with their notes, and returns
// what is missing by the number of the batch. It leaves out batches without notes, and those of
// which damage is known.
func compareOlder(ctx context.Context, conn driver.Conn, older []keptBatch) (map[uint64][]MissingRows, error) {
	var batches []string
	for _, batch := range older {
		if batch.Noted && !batch.Damaged {
			batches = append(batches, strconv.FormatUint(batch.Number, 10))
		}
	}
	var found []struct {
		Batch uint64 `ch:"of_batch"`
		MissingRows
	}
	values := clickhouse.Parameters{"batches": "[" + strings.Join(batches, ",") + "]"}
	if err := conn.Select(sql.WithParameters(ctx, values), &found, sql.Query("damage_of_batches")); err != nil {
		return nil, fmt.Errorf("compare the rows of older batches with their recorded row counts: %w", err)
	}
	missing := map[uint64][]MissingRows{}
	for _, one := range found {
		missing[one.Batch] = append(missing[one.Batch], one.MissingRows)
	}
	return missing, nil
}

// notesTable holds the notes: how many rows each table has for each batch.
const notesTable = "batch_table"

// add adds what is missing, summed by table.
func (d *Damage) add(missing []MissingRows) {
	for begin := 0; begin < len(missing); {
		first := missing[begin]
		end := begin
		noted, stored := uint64(0), uint64(0)
		for ; end < len(missing) && missing[end].Table == first.Table; end++ {
			noted += missing[end].Noted
			stored += missing[end].Stored
			if first.Fact {
				d.Files = append(d.Files, missing[end].Piece)
			}
		}
		reason := fmt.Sprintf("has %d rows instead of %d", stored, noted)
		if pieces := end - begin; first.Piece != "" {
			reason = fmt.Sprintf("%s, in %d days or files, the first %s", reason, pieces, first.Piece)
		}
		d.Tables = append(d.Tables, TableDamage{first.Table, reason, first.Fact})
		begin = end
	}
	slices.SortStableFunc(d.Tables, func(a, b TableDamage) int { return strings.Compare(a.Table, b.Table) })
	slices.Sort(d.Files)
	d.Files = slices.Compact(d.Files)
	d.anew = d.anew || len(missing) > 0
}

// addUnlisted adds the files that are missing from the lists of files. It calls Settle
// first, which restores those that still have a manifest. No reply depends on these lists while
// the files' facts are noted.
func (i *Inspector) addUnlisted(ctx context.Context, found *Damage) error {
	if err := i.config.Settle(ctx); err != nil {
		return err
	}
	values := clickhouse.Parameters{"batch": strconv.FormatUint(found.Batch, 10)}
	files, err := sql.SelectValues[string](sql.WithParameters(ctx, values), i.conn, sql.Query("unlisted_files"))
	if err != nil {
		return fmt.Errorf("query files that are in no list: %w", err)
	}
	found.Files = append(found.Files, files...)
	slices.Sort(found.Files)
	found.Files = slices.Compact(found.Files)
	return nil
}

// condemn records that a batch is damaged, unless that is already recorded.
func (i *Inspector) condemn(ctx context.Context, batch keptBatch, tables []TableDamage) error {
	if batch.Damaged || len(tables) == 0 {
		return nil
	}
	rows := make([][]any, len(tables))
	for at, table := range tables {
		rows[at] = []any{batch.Number, i.now().UTC(), table.Table, table.Reason}
	}
	return write.Rows(ctx, i.conn, sql.Insert("batch_damage"), rows)
}
