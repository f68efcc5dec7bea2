package history

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"cuota/backtest"
	"cuota/model"
	"cuota/sql"
)

// signalKey identifies the candidates of a signal. order is zero if everything is known.
type signalKey struct {
	date, day, order model.Date
	classifiedLater  bool
}

// readUniverse is the candidates of a signal, the values of them that were read, and by series what was known of them
// then where it differs from the batch.
type readUniverse struct {
	*backtest.Universe
	values    backtest.Values
	differing map[uint32]knownRow
}

const (
	knownRowBytes = int(unsafe.Sizeof(knownRow{})) + 300 // with its lists
	// knownAtOnce is how many rows one statement returns at most of what was known: about 15 MB of result.
	knownAtOnce = 50_000
)

// Candidates implements [backtest.Source]. For a first strategy it reads only the values that are asked for. If a later
// strategy needs a window that was not read, it reads all windows, because more strategies are likely to follow.
func (src *Source) Candidates(ctx context.Context, signals []backtest.Signal, sight backtest.Sight,
	values backtest.Values) ([]*backtest.Universe, error) {
	src.readingCandidates.Lock()
	defer src.readingCandidates.Unlock()
	universes := make([]*backtest.Universe, len(signals))
	var missing []backtest.Signal
	before := map[signalKey]readUniverse{} // of the missing ones, those that have other values
	asked := map[signalKey]bool{}
	needed := values
	for i, s := range signals {
		key := keyOf(s, sight)
		kept, there := src.candidates.Known(key)
		if there && kept.values.Has(values) {
			universes[i] = kept.Universe
			continue
		}
		if there {
			before[key] = kept
			needed |= kept.values
			if !kept.values.Has(values & backtest.WindowValues) {
				needed |= backtest.WindowValues
			}
		}
		if !asked[key] {
			asked[key] = true
			missing = append(missing, s)
		}
	}
	if len(missing) == 0 {
		return universes, nil
	}
	read, err := src.readCandidates(ctx, missing, sight, needed, before)
	if err != nil {
		return nil, err
	}
	for i, s := range signals {
		if u, there := read[keyOf(s, sight)]; there {
			universes[i] = u
		}
	}
	return universes, nil
}

func keyOf(s backtest.Signal, sight backtest.Sight) signalKey {
	key := signalKey{date: s.Date, day: s.Day, classifiedLater: sight.ClassifiedLater}
	if sight.Then {
		key.order = s.Order
	}
	return key
}

// readCandidates reads some values of the candidates of signals, and keeps them. Signals in before were read already
// with other values: what was known then is taken from there.
func (src *Source) readCandidates(ctx context.Context, signals []backtest.Signal, sight backtest.Sight,
	values backtest.Values, before map[signalKey]readUniverse) (map[signalKey]*backtest.Universe, error) {
	var standing map[model.Date]*dayOfRows
	var known *catalogues
	differing := map[signalKey]map[uint32]knownRow{}
	unread := slices.DeleteFunc(slices.Clone(signals), func(s backtest.Signal) bool {
		kept, there := before[keyOf(s, sight)]
		if there {
			differing[signalKey{day: s.Day, order: s.Order}] = kept.differing
		}
		return there
	})
	reads, ctx := errgroup.WithContext(ctx)
	var read map[signalKey]map[uint32]knownRow
	if sight.Then && len(unread) > 0 { // takes longest
		reads.Go(func() (err error) {
			read, err = src.knownThen(ctx, unread)
			return err
		})
	}
	reads.Go(func() (err error) {
		standing, err = src.standing(ctx, signals, sight.Then, values)
		return err
	})
	reads.Go(func() (err error) {
		known, err = src.catalogues(ctx, values)
		return err
	})
	if err := reads.Wait(); err != nil {
		return nil, err
	}
	maps.Copy(differing, read)
	universes := make([]*backtest.Universe, len(signals))
	var building errgroup.Group
	share := (len(signals) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	for first := 0; first < len(signals); first += share {
		building.Go(func() error {
			walk := known.walk(values)
			for i := first; i < min(first+share, len(signals)); i++ {
				s := signals[i]
				universes[i] = walk.universe(standing[s.Day], differing[signalKey{day: s.Day, order: s.Order}], s,
					sight)
			}
			return nil
		})
	}
	_ = building.Wait() // none of them fails
	built := map[signalKey]*backtest.Universe{}
	for i, s := range signals {
		key := keyOf(s, sight)
		built[key] = universes[i]
		src.candidates.Keep(key, readUniverse{universes[i], values, differing[signalKey{day: s.Day, order: s.Order}]})
	}
	return built, nil
}

// knownRow is what was known of a series, where that differs from what the batch has.
type knownRow struct {
	Series       uint32      `ch:"series_id"`
	Day          time.Time   `ch:"day"`
	Order        time.Time   `ch:"order_day"`
	Changed      []time.Time `ch:"changed"` // days whose rows were unknown or had other values
	NotKnownThen bool        `ch:"not_known_then"`
	// the row that stands on the day is from a history that was loaded later
	LaterRow      bool      `ch:"later_row"`
	LaterStarts   []uint8   `ch:"later_starts"` // windows that begin with such a row
	RowDiffers    bool      `ch:"row_differs"`  // the row that stands on the day
	QuotedThen    bool      `ch:"quoted_then"`
	CurrencyThen  string    `ch:"currency_then"`
	EquityCLPThen float64   `ch:"equity_clp_then"`
	Touched       []uint8   `ch:"touched"` // windows that begin or end with a changed row
	Returns       []float64 `ch:"returns"`
}

// laterRow is a row that was corrected or added later, with what was stated of it. Numbers are texts.
type laterRow struct {
	Series     uint32      `ch:"series_id"`
	Date       time.Time   `ch:"date"`
	Later      bool        `ch:"loaded_later"`
	KnownOn    []time.Time `ch:"known_on"`
	Said       []uint64    `ch:"said"`
	Quotas     []string    `ch:"quotas"`
	Currencies []string    `ch:"currencies"`
	Equities   []string    `ch:"equities"`
}

// mayDiffer reports whether what was known of the row at a signal may differ from what the batch has.
func (r *laterRow) mayDiffer(s backtest.Signal) bool {
	return model.DateOf(r.Date).Compare(s.Day) <= 0 &&
		(r.Later || model.DateOf(r.KnownOn[len(r.KnownOn)-1]).Compare(s.Order) > 0)
}

// knownThen reads what was known at signals, by their days and order days. It has rows only where that differs from
// what the batch has.
func (src *Source) knownThen(ctx context.Context,
	signals []backtest.Signal) (map[signalKey]map[uint32]knownRow, error) {
	later, err := src.corrected.get(func() (laterRows, error) { return src.readLater(ctx) })
	if err != nil {
		return nil, err
	}
	seen := map[signalKey]map[uint32]knownRow{}
	var days, orders []model.Date
	for _, s := range signals {
		key := signalKey{day: s.Day, order: s.Order}
		if seen[key] == nil && later.mayDiffer(s) {
			seen[key] = map[uint32]knownRow{}
			days, orders = append(days, s.Day), append(orders, s.Order)
		}
	}
	if len(days) == 0 {
		return nil, nil
	}
	args, err := later.args()
	if err != nil {
		return nil, err
	}
	size := max(1, knownAtOnce/len(later.series))
	for first := 0; first < len(days); first += size {
		last := min(first+size, len(days))
		found, err := rows[knownRow](ctx, src, "backtest_known",
			append(slices.Clone(args), sql.Arg("days", texts(days[first:last])),
				sql.Arg("orders", texts(orders[first:last])))...)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			if n := len(model.Windows); len(f.Touched) != n || len(f.LaterStarts) != n || len(f.Returns) != n {
				return nil, &sql.ReadError{Statement: "backtest_known",
					Err: fmt.Errorf("series %d does not have eight windows on %s", f.Series, model.DateOf(f.Day))}
			}
			seen[signalKey{day: model.DateOf(f.Day), order: model.DateOf(f.Order)}][f.Series] = f
		}
	}
	return seen, nil
}

// laterRows are the rows that were stated later. If they are too many to be arguments of a statement, only their
// series are known here, and rows is nil.
type laterRows struct {
	series []uint32
	rows   []laterRow
	source string // where statements find them
}

// mostLater is how many rows are kept and given to statements, by default. They take about 15 MB.
const mostLater = 100_000

func (src *Source) readLater(ctx context.Context) (laterRows, error) {
	batch, err := src.describe(ctx)
	if err != nil {
		return laterRows{}, err
	}
	statements := sql.Arg("statements", batch.source())
	found, err := rows[laterRow](ctx, src, "backtest_later", sql.Arg("most", src.mostLater+1), statements)
	if err != nil {
		return laterRows{}, err
	}
	later := laterRows{source: batch.source()}
	if len(found) > src.mostLater {
		type row struct {
			Series uint32 `ch:"series_id"`
		}
		series, err := rows[row](ctx, src, "backtest_later_series", statements)
		for _, of := range series {
			later.series = append(later.series, of.Series)
		}
		return later, err
	}
	later.rows = found
	for _, of := range found { // by ascending series
		if n := len(later.series); n == 0 || later.series[n-1] != of.Series {
			later.series = append(later.series, of.Series)
		}
	}
	return later, nil
}

// mayDiffer reports whether what was known at a signal may differ from what the batch has.
func (l laterRows) mayDiffer(s backtest.Signal) bool {
	return l.rows == nil && len(l.series) > 0 || slices.ContainsFunc(l.rows, func(r laterRow) bool {
		return r.mayDiffer(s)
	})
}

// args returns the arguments of backtest_known: the series as a table, and the rows too if they are known here.
func (l laterRows) args() ([]any, error) {
	series, err := sql.Table("later_series", sql.Column{Type: "series_id UInt32", Values: l.series})
	if err != nil {
		return nil, err
	}
	args := []any{sql.Arg("statements", l.source), series}
	if l.rows == nil {
		return append(args, sql.Arg("later", "read")), nil
	}
	n := len(l.rows)
	ids, dates, loaded, known := make([]uint32, n), make([]time.Time, n), make([]bool, n), make([][]time.Time, n)
	said, quotas, currencies, equities := make([][]uint64, n), make([][]string, n), make([][]string, n),
		make([][]string, n)
	for i, r := range l.rows {
		ids[i], dates[i], loaded[i], known[i] = r.Series, r.Date, r.Later, r.KnownOn
		said[i], quotas[i], currencies[i], equities[i] = r.Said, r.Quotas, r.Currencies, r.Equities
	}
	given, err := sql.Table("later_given", sql.Column{Type: "series_id UInt32", Values: ids},
		sql.Column{Type: "date Date", Values: dates},
		sql.Column{Type: "loaded_later Bool", Values: loaded}, sql.Column{Type: "known_on Array(Date)", Values: known},
		sql.Column{Type: "said Array(UInt64)", Values: said}, sql.Column{Type: "quotas Array(String)", Values: quotas},
		sql.Column{Type: "currencies Array(String)", Values: currencies},
		sql.Column{Type: "equities Array(String)", Values: equities})
	if err != nil {
		return nil, err
	}
	return append(args, sql.Arg("later", "given"), given), nil
}

// unknownDays returns the days up to a signal whose first cartola was published after its order day.
func (p *publications) unknownDays(s backtest.Signal) (days []model.Date) {
	for i, published := range p.days {
		day := p.first.AddDays(i)
		if !published.later && published.on.Compare(s.Order) > 0 && day.Compare(s.Day) <= 0 {
			days = append(days, day)
		}
	}
	return days
}
