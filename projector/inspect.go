package projector

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

	"cuota/sql"
)

// Damage is what an inspection found. The zero value says that nothing is missing.
type Damage struct {
	Batch  uint64        // the newest published batch, 0 before the first
	Tables []TableDamage // by table
	// Files are hashes of files whose facts or manifests are missing. Publishing them
	// again restores both.
	Files []string
	// Schema tells that rows are missing that a migration inserts. MigrateAgain brings
	// them back.
	Schema bool

	anew bool // every day must be built anew
}

// TableDamage is what is missing of one table.
type TableDamage struct {
	Table  string
	Reason string
	// Fact tells that the rows come from files. Other rows are computed.
	Fact bool
}

// None tells that nothing is missing.
func (d Damage) None() bool { return len(d.Tables) == 0 && len(d.Files) == 0 && !d.anew }

// String names the damaged tables.
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

// errFactsMissing says that no batch can be built, because facts of complete files are
// missing. Files that are published again bring them back.
var errFactsMissing = errors.New("facts are missing that complete files had; cuota repair restores them from the archive of raw files")

// errSchemaRows says that no batch can be built, because rows are missing that a migration
// inserts. A start of the program brings them back.
var errSchemaRows = errors.New("rows that come with the schema are missing; start cuota up or cuota project again, which brings them back")

// inspector remembers what was inspected.
type inspector struct {
	mu      sync.Mutex             // one inspection at a time
	of      map[string]tablesState // by server, since an address may name several
	suspect atomic.Bool            // the engine has ended since the last inspection
	clean   bool                   // the last inspection found nothing
	limited bool                   // told that the user may not look at parts
	told    string                 // the damage that the log tells of
}

// tablesState is what an inspection depends on. ClickHouse leaves out the parts that it
// can't read when it starts, and sets aside those that it can't read later.
type tablesState struct {
	Server  string
	Started int64 // Unix seconds, give or take one
	Broken  uint64
}

func (s tablesState) same(other tablesState) bool {
	off := s.Started - other.Started
	return s.Server == other.Server && s.Broken == other.Broken && off >= -2 && off <= 2
}

// knows tells whether the tables were inspected in that state.
func (i *inspector) knows(state tablesState) bool {
	inspected, known := i.of[state.Server]
	return known && inspected.same(state) && !i.suspect.Load()
}

// Suspect has the next look inspect the tables, because ClickHouse has ended.
func (p *Projector) Suspect() { p.inspector.suspect.Store(true) }

// state asks what an inspection depends on.
func (p *Projector) state(ctx context.Context) (tablesState, error) {
	var s tablesState
	err := p.conn.QueryRow(ctx, sql.Query("server_state")).Scan(&s.Server, &s.Started)
	if err != nil {
		return s, fmt.Errorf("ask since when ClickHouse runs: %w", err)
	}
	if err = p.conn.QueryRow(ctx, sql.Query("parts_set_aside")).Scan(&s.Broken); err != nil && !p.mayNot(err) {
		return s, fmt.Errorf("look for parts that ClickHouse has set aside: %w", err)
	}
	return s, nil
}

// accessDenied is ClickHouse's code for a statement that a user may not run.
const accessDenied = 497

// mayNot tells that the user of the projector may not look at parts, which is told once.
// Rows are counted all the same.
func (p *Projector) mayNot(err error) bool {
	exception := (*clickhouse.Exception)(nil)
	if !errors.As(err, &exception) || exception.Code != accessDenied {
		return false
	}
	if !p.inspector.limited {
		p.inspector.limited = true
		p.log.Warn().Err(err).Msg("the projector's user may not check parts: damaged bytes are found only when they are read; see docs/servers.md for the grants")
	}
	return true
}

// look inspects the tables if ClickHouse was started since the last time or has set a
// part aside, and again as long as something is missing.
func (p *Projector) look(ctx context.Context) (Damage, error) {
	p.inspector.mu.Lock()
	defer p.inspector.mu.Unlock()
	state, err := p.state(ctx)
	if err != nil {
		return Damage{}, err
	}
	known := p.inspector.knows(state)
	if known && p.inspector.clean {
		return Damage{}, nil
	}
	return p.inspect(ctx, state, !known)
}

// restarted tells whether look would inspect anything.
func (p *Projector) restarted(ctx context.Context) (bool, error) {
	p.inspector.mu.Lock()
	defer p.inspector.mu.Unlock()
	state, err := p.state(ctx)
	return err == nil && !p.inspector.knows(state), err
}

// Inspect reads every part of every table and compares the rows with those that the
// published batches noted. What it finds stands in batch_damage when it returns, so that
// damaged batches are not answered from. It gives back ids that one copy of the registry
// has lost, and sets aside parts that can't be read. Everything else is left to the next
// batch, and to whoever publishes the files again.
func (p *Projector) Inspect(ctx context.Context) (Damage, error) {
	p.inspector.mu.Lock()
	defer p.inspector.mu.Unlock()
	state, err := p.state(ctx)
	if err != nil {
		return Damage{}, err
	}
	return p.inspect(ctx, state, true)
}

// inspect is Inspect. If it is not thorough, it counts rows and reads no parts. The
// caller holds inspector.mu.
func (p *Projector) inspect(ctx context.Context, state tablesState, thorough bool) (Damage, error) {
	p.inspector.suspect.Store(false) // an end of the engine from here on is another one
	begun, stored := time.Now(), func() {}
	if p.config.Inspecting != nil {
		stored = p.config.Inspecting()
	}
	found, err := p.findDamage(ctx, thorough)
	if err != nil {
		return found, err
	}
	if p.inspector.of == nil {
		p.inspector.of = map[string]tablesState{}
	}
	p.inspector.of[state.Server], p.inspector.clean = state, found.None()
	again := p.inspector.told == found.String()
	p.inspector.told = found.String()
	for _, table := range found.Tables {
		if again {
			break
		}
		p.log.Error().Uint64("batch", found.Batch).Str("table", table.Table).Str("reason", table.Reason).Msg("stored rows are damaged")
	}
	if thorough && found.Batch != 0 {
		p.log.Info().Uint64("batch", found.Batch).Int("damaged_tables", len(found.Tables)).Int("files_to_restore", len(found.Files)).
			Dur("took_ms", time.Since(begun)).Msg("inspected the tables")
	}
	stored()
	return found, nil
}

// keptBatch is a published batch.
type keptBatch struct {
	Number  uint64 `ch:"batch"`
	Noted   bool   `ch:"noted"`
	Damaged bool   `ch:"damaged"`
}

func (p *Projector) findDamage(ctx context.Context, thorough bool) (Damage, error) {
	if thorough {
		if err := p.setAside(ctx); err != nil {
			return Damage{}, err
		}
		if err := p.forgetIncomplete(ctx); err != nil {
			return Damage{}, err
		}
	}
	if err := p.restoreRegistry(ctx); err != nil {
		return Damage{}, err
	}
	kept, err := keptBatches(ctx, p.conn)
	if err != nil || len(kept) == 0 {
		return Damage{}, err
	}
	newest := kept[0]
	found := Damage{Batch: newest.Number, anew: !newest.Noted || newest.Damaged}
	shared := false // what is missing, older batches read as well
	if newest.Noted {
		missing, err := missingOf(ctx, p.conn, newest.Number, true)
		if err != nil {
			return Damage{}, err
		}
		found.add(missing)
		shared = slices.ContainsFunc(missing, MissingRows.shared)
	}
	if err := p.addUnlisted(ctx, &found); err != nil {
		return Damage{}, err
	}
	if err := p.condemn(ctx, newest, found.Tables); err != nil {
		return Damage{}, err
	}
	for _, older := range kept[1:] {
		tables := found.Tables
		if !shared {
			tables = nil
			if thorough && older.Noted && !older.Damaged {
				missing, err := missingOf(ctx, p.conn, older.Number, false)
				if err != nil {
					return Damage{}, err
				}
				var own Damage
				own.add(missing)
				tables = own.Tables
			}
		}
		if err := p.condemn(ctx, older, tables); err != nil {
			return Damage{}, err
		}
	}
	return found, nil
}

// setAside reads every part, and detaches those that can't be read. Their rows are then
// missing, which is what counts.
func (p *Projector) setAside(ctx context.Context) error {
	tables, err := p.texts(ctx, sql.Query("stored_tables"))
	if err != nil && p.mayNot(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the tables: %w", err)
	}
	for _, table := range tables {
		broken, err := p.unreadable(ctx, table)
		if err != nil {
			if p.mayNot(err) {
				return nil
			}
			return fmt.Errorf("check the parts of %s: %w", table, err)
		}
		for _, part := range broken {
			p.log.Error().Str("table", table).Str("part", part.name).Str("reason", part.reason).Msg("a part can't be read and is set aside")
			values := bind(ctx, clickhouse.Parameters{"table": table, "part": part.name})
			if err := p.conn.Exec(values, sql.Query("detach_part")); err != nil {
				return fmt.Errorf("set aside part %s of %s: %w", part.name, table, err)
			}
		}
	}
	return nil
}

// forgetIncomplete takes files from the list of complete ones if facts of them are missing
// and no published batch holds them yet: batches have noted nothing of those. They are
// complete again when their facts come again.
func (p *Projector) forgetIncomplete(ctx context.Context) error {
	for {
		var files uint64
		var list string
		if err := p.conn.QueryRow(ctx, sql.Query("incomplete_sources")).Scan(&files, &list); err != nil {
			return fmt.Errorf("look for complete files that lost facts: %w", err)
		}
		if files == 0 {
			return nil
		}
		p.log.Error().Uint64("files", files).Msg("facts of files are lost that no batch holds yet; the files wait until their facts come again")
		if err := p.conn.Exec(bind(ctx, clickhouse.Parameters{"files": list}), sql.Query("forget_sources")); err != nil {
			return fmt.Errorf("list files as incomplete: %w", err)
		}
	}
}

// texts gives the one column of a statement.
func (p *Projector) texts(ctx context.Context, statement string) ([]string, error) {
	rows, err := p.conn.Query(ctx, statement)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var list []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return list, rows.Err()
}

type unreadablePart struct{ name, reason string }

func (p *Projector) unreadable(ctx context.Context, table string) ([]unreadablePart, error) {
	rows, err := p.conn.Query(bind(ctx, clickhouse.Parameters{"table": table}), sql.Query("check_table"))
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

// restoreRegistry gives back the ids that one copy of the registry alone has.
func (p *Projector) restoreRegistry(ctx context.Context) error {
	var lost uint64
	if err := p.conn.QueryRow(ctx, sql.Query("lost_ids")).Scan(&lost); err != nil {
		return fmt.Errorf("look for lost ids: %w", err)
	}
	if lost == 0 {
		return nil
	}
	if err := p.conn.Exec(ctx, sql.Query("restore_registry")); err != nil {
		return fmt.Errorf("restore %d ids: %w", lost, err)
	}
	p.log.Warn().Uint64("ids", lost).Msg("ids that the registry had lost are restored from its copy")
	return nil
}

// MissingRows is a table, or a day or file of it, with other rows than were noted. Its
// JSON is read by programs: names stay.
type MissingRows struct {
	Table  string `ch:"of_table" json:"table"`
	Piece  string `ch:"of_piece" json:"piece"` // day or file; "": of the batch as a whole
	Noted  uint64 `ch:"noted_rows" json:"noted_rows"`
	Stored uint64 `ch:"stored_rows" json:"stored_rows"`
	Fact   bool   `ch:"is_fact" json:"-"` // the piece is the hash of a file
}

// Missing compares the rows of the newest published batch with those that it noted. It
// gives batch 0 if none is published or it noted nothing.
func Missing(ctx context.Context, conn driver.Conn) (batch uint64, missing []MissingRows, err error) {
	kept, err := keptBatches(ctx, conn)
	if err != nil || len(kept) == 0 || !kept[0].Noted {
		return 0, nil, err
	}
	missing, err = missingOf(ctx, conn, kept[0].Number, true)
	return kept[0].Number, missing, err
}

// keptBatches lists the published batches, the newest first.
func keptBatches(ctx context.Context, conn driver.Conn) (kept []keptBatch, err error) {
	if err := conn.Select(ctx, &kept, sql.Query("published_batches")); err != nil {
		return nil, fmt.Errorf("list the published batches: %w", err)
	}
	return kept, nil
}

// shared tells whether older batches read the rows as well.
func (m MissingRows) shared() bool {
	return m.Piece != "" || m.Table == "batch_source" || m.Table == schemaTable
}

// schemaTable has the rows that a migration inserts.
const schemaTable = "reference_category"

// missingOf compares the rows of a batch with those that it noted; if whole, also those
// that older batches read as well.
func missingOf(ctx context.Context, conn driver.Conn, batch uint64, whole bool) ([]MissingRows, error) {
	values := clickhouse.Parameters{"batch": strconv.FormatUint(batch, 10), "whole": strconv.FormatBool(whole)}
	var missing []MissingRows
	if err := conn.Select(bind(ctx, values), &missing, sql.Query("damage")); err != nil {
		return nil, fmt.Errorf("compare the rows of batch %d with what it noted: %w", batch, err)
	}
	return missing, nil
}

// notesTable holds what batches noted.
const notesTable = "batch_table"

// add sums up what is missing, by table.
func (d *Damage) add(missing []MissingRows) {
	if notesLost(missing) {
		d.Tables = append(d.Tables, TableDamage{notesTable, "nothing is noted of the published batch", false})
		d.anew = true
		return
	}
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
		reason := fmt.Sprintf("%d rows where %d were noted", stored, noted)
		if pieces := end - begin; first.Piece != "" {
			reason = fmt.Sprintf("%s, in %d pieces, the first %s", reason, pieces, first.Piece)
		}
		d.Tables = append(d.Tables, TableDamage{first.Table, reason, first.Fact})
		d.Schema = d.Schema || first.Table == schemaTable
		begin = end
	}
	slices.Sort(d.Files)
	d.Files = slices.Compact(d.Files)
	d.anew = d.anew || len(missing) > 0
}

// notesLost tells whether the notes are missing and not the rows. A batch always has
// categories, which come with the schema.
func notesLost(missing []MissingRows) bool {
	return slices.ContainsFunc(missing, func(m MissingRows) bool { return m.Table == schemaTable && m.Noted == 0 })
}

// addUnlisted adds files that the lists of files have lost, once those that the
// manifests bring back are there. No answer depends on these lists.
func (p *Projector) addUnlisted(ctx context.Context, found *Damage) error {
	if err := p.Settle(ctx); err != nil {
		return err
	}
	values := clickhouse.Parameters{"batch": strconv.FormatUint(found.Batch, 10)}
	files, err := p.texts(bind(ctx, values), sql.Query("unlisted_files"))
	if err != nil {
		return fmt.Errorf("look for files that no list has: %w", err)
	}
	found.Files = append(found.Files, files...)
	slices.Sort(found.Files)
	found.Files = slices.Compact(found.Files)
	return nil
}

// condemn notes that a batch is damaged, unless that stands already.
func (p *Projector) condemn(ctx context.Context, batch keptBatch, tables []TableDamage) error {
	if batch.Damaged || len(tables) == 0 {
		return nil
	}
	rows := make([][]any, len(tables))
	for i, table := range tables {
		rows[i] = []any{batch.Number, p.now().UTC(), table.Table, table.Reason}
	}
	return p.insert(ctx, sql.Insert("batch_damage"), rows)
}

// factsMissing tells that a batch would be built of too few facts.
func (d Damage) factsMissing() bool {
	return slices.ContainsFunc(d.Tables, func(t TableDamage) bool { return t.Fact })
}
