package backtest

import (
	"context"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/errgroup"

	"cuota/model"
	"cuota/sql"
)

// Database is a Source that reads one published batch from ClickHouse. It keeps what it has read
// in memory, up to a limit, because runs on the same dates read the same. Runs may share it.
// What its methods return must not be changed.
type Database struct {
	reader sql.Reader
	batch  uint64

	// Values of one kind are read by one run at a time, so that runs that start together read once.
	readingDays, readingCandidates, readingHistories, readingHeld sync.Mutex

	described  once[Batch]
	rated      once[rates]
	exchanges  once[map[uint32][]Exchange]
	rostered   once[*roster]
	built      once[builtDays]
	published  once[publications]
	risks      once[[][]riskMonth]
	costs      once[[]seriesCosts]
	ratings    once[ratings]
	corrected  once[laterRows]
	happened   once[map[uint32]steps]    // a series without a step is missing
	answering  map[model.Date]model.Date // the day that answers for a date, zero if none does
	words      *interned
	days       *otter.Cache[model.Date, *dayOfRows]
	candidates *otter.Cache[signalKey, readUniverse]
	histories  *otter.Cache[uint32, readHistory]
	held       *otter.Cache[heldDays, map[uint32]Held]
	points     *otter.Cache[pointsKey, quotedPoints]

	historiesRead int // number of series whose histories were read
	mostLater     int // how many rows of laterRows are kept
}

// The memory that a Database keeps in bytes, roughly. What it needs besides, of each series and
// month, grows with the market: about 100 MB for 3,000 series over ten years.
const (
	keptDays       = 128 << 20
	keptCandidates = 512 << 20
	keptHistories  = 256 << 20
	keptHeld       = 32 << 20
	keptPoints     = 8 << 20
)

// NewDatabase returns the source of a batch, which must be published.
func NewDatabase(reader sql.Reader, batch uint64) *Database {
	return &Database{
		reader: reader, batch: batch, words: newInterned(), answering: map[model.Date]model.Date{}, mostLater: mostLater,
		days: keeping(keptDays, func(_ model.Date, day *dayOfRows) int {
			return len(day.rows) * (standingRowBytes + len(day.windows)*windowRowBytes)
		}),
		candidates: keeping(keptCandidates, func(_ signalKey, u readUniverse) int {
			return u.size()*universeBytes + len(u.differing)*knownRowBytes
		}),
		histories: keeping(keptHistories, func(_ uint32, h readHistory) int { return historyBytes + 8*len(h.quotas) }),
		held:      keeping(keptHeld, func(_ heldDays, held map[uint32]Held) int { return len(held) * heldBytes }),
		points:    keeping(keptPoints, func(_ pointsKey, of quotedPoints) int { return len(of.points) * pointBytes }),
	}
}

// keeping returns a cache of at most so many bytes.
func keeping[K comparable, V any](most uint64, size func(K, V) int) *otter.Cache[K, V] {
	return otter.Must(&otter.Options[K, V]{
		MaximumWeight: most,
		Weigher:       func(key K, value V) uint32 { return uint32(min(64+size(key, value), 1<<31)) },
	})
}

// once keeps what is read once for a batch. A read that failed is tried again by the next one
// that needs it.
type once[T any] struct {
	mu    sync.Mutex
	value T
	read  bool
}

func (o *once[T]) get(read func() (T, error)) (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.read {
		return o.value, nil
	}
	value, err := read()
	if err != nil {
		return value, err
	}
	o.value, o.read = value, true
	return value, nil
}

// rows reads the rows of a statement of the batch.
func rows[T any](ctx context.Context, d *Database, statement string, args ...any) ([]T, error) {
	return sql.Rows[T](ctx, d.reader, statement, append(args, sql.Arg("batch", d.batch))...)
}

// Batch implements Source.
func (d *Database) Batch(ctx context.Context) (Batch, error) {
	return d.described.get(func() (Batch, error) { return d.readBatch(ctx) })
}

func (d *Database) readBatch(ctx context.Context) (Batch, error) {
	type row struct {
		Batch       uint64    `ch:"batch"`
		ID          string    `ch:"batch_id"`
		Cutoff      time.Time `ch:"cutoff"`
		PublishedAt time.Time `ch:"published_at"`
		Fingerprint string    `ch:"fingerprint"`
		Rules       string    `ch:"rules"`
	}
	found, err := rows[row](ctx, d, "backtest_batch")
	if err != nil {
		return Batch{}, err
	}
	if len(found) != 1 {
		return Batch{}, fmt.Errorf("batch %d is not published, or not kept any more: choose another batch", d.batch)
	}
	b := found[0]
	return Batch{Number: b.Batch, ID: b.ID, Cutoff: model.DateOf(b.Cutoff), Fingerprint: b.Fingerprint, PublishedAt: b.PublishedAt.UTC(), ownRules: b.Rules == sql.Rules()}, nil
}

// AnsweringDays implements Source.
func (d *Database) AnsweringDays(ctx context.Context, dates []model.Date) ([]Signal, error) {
	d.readingDays.Lock()
	defer d.readingDays.Unlock()
	var missing []model.Date
	for _, date := range dates {
		if _, there := d.answering[date]; !there {
			missing = append(missing, date)
		}
	}
	if len(missing) > 0 {
		reads, ctx := errgroup.WithContext(ctx)
		reads.Go(func() error { return d.readAnswering(ctx, missing) })
		// Read ahead, because every run needs these next.
		reads.Go(func() error { return errorOf(d.roster(ctx)) })
		reads.Go(func() error { return errorOf(d.builds(ctx)) })
		reads.Go(func() error { return errorOf(d.publications(ctx)) })
		if err := reads.Wait(); err != nil {
			return nil, err
		}
	}
	var signals []Signal
	for _, date := range dates {
		if day := d.answering[date]; !day.IsZero() {
			signals = append(signals, Signal{Date: date, Day: day})
		}
	}
	return signals, nil
}

// errorOf returns only the error of a read whose value is kept.
func errorOf[T any](_ T, err error) error { return err }

func (d *Database) readAnswering(ctx context.Context, dates []model.Date) error {
	type row struct {
		Asked time.Time `ch:"asked"`
		Day   time.Time `ch:"day"`
	}
	found, err := rows[row](ctx, d, "backtest_answering_days", sql.Arg("dates", texts(dates)))
	if err != nil {
		return err
	}
	for _, date := range dates {
		d.answering[date] = model.Date{}
	}
	for _, f := range found {
		d.answering[model.DateOf(f.Asked)] = model.DateOf(f.Day)
	}
	return nil
}

// Exchanges implements Source.
func (d *Database) Exchanges(ctx context.Context) (map[uint32][]Exchange, error) {
	return d.exchanges.get(func() (map[uint32][]Exchange, error) { return d.readExchanges(ctx) })
}

func (d *Database) readExchanges(ctx context.Context) (map[uint32][]Exchange, error) {
	type row struct {
		Origin uint32    `ch:"origin_id"`
		On     time.Time `ch:"effective_date"`
		Into   uint32    `ch:"destination_id"`
		Factor float64   `ch:"factor"`
	}
	found, err := rows[row](ctx, d, "backtest_exchanges")
	if err != nil {
		return nil, err
	}
	exchanges := map[uint32][]Exchange{}
	for _, f := range found {
		exchanges[f.Origin] = append(exchanges[f.Origin], Exchange{On: model.DateOf(f.On), Into: f.Into, Factor: f.Factor})
	}
	return exchanges, nil
}

// rates are the official dollar and the UF of each day from the first one that has any; 0 where there is none.
type rates struct {
	first      model.Date
	dollar, uf []float64
}

// Dollar implements Source.
func (d *Database) Dollar(ctx context.Context, first, last model.Date) ([]float64, error) {
	all, err := d.rates(ctx)
	return between(all.dollar, all.first, first, last), err
}

// UF implements Source.
func (d *Database) UF(ctx context.Context, first, last model.Date) ([]float64, error) {
	all, err := d.rates(ctx)
	return between(all.uf, all.first, first, last), err
}

// between returns the values of the days from first to last, of values whose first one is that of begin.
func between(values []float64, begin, first, last model.Date) []float64 {
	if last.Compare(first) < 0 {
		return nil
	}
	list := make([]float64, last.DaysSince(first)+1)
	if skip := first.DaysSince(begin); skip >= 0 {
		copy(list, values[min(skip, len(values)):])
	} else if -skip < len(list) {
		copy(list[-skip:], values)
	}
	return list
}

func (d *Database) rates(ctx context.Context) (rates, error) {
	return d.rated.get(func() (rates, error) { return d.readRates(ctx) })
}

// readRates reads the rates of all days. They are few, and runs need them of different days.
func (d *Database) readRates(ctx context.Context) (rates, error) {
	type row struct {
		Date  time.Time `ch:"date"`
		Dolar float64   `ch:"dolar"`
		UF    float64   `ch:"uf"`
	}
	found, err := rows[row](ctx, d, "backtest_rates", sql.Arg("from", firstStorable.String()), sql.Arg("to", lastStorable.String()))
	if err != nil || len(found) == 0 {
		return rates{}, err
	}
	first, last := model.DateOf(found[0].Date), model.DateOf(found[len(found)-1].Date)
	days := last.DaysSince(first) + 1
	all := rates{first, make([]float64, days), make([]float64, days)}
	for _, f := range found {
		i := model.DateOf(f.Date).DaysSince(first)
		all.dollar[i], all.uf[i] = f.Dolar, f.UF
	}
	return all, nil
}

// pointsKey identifies the points of a family index, or those of a symbol.
type pointsKey struct{ family, currency, symbol string }

// quotedPoints are points and their currency, which is known already of a family index.
type quotedPoints struct {
	points   []Point
	currency string
}

const pointBytes = int(unsafe.Sizeof(Point{}))

// FamilyIndex implements Source.
func (d *Database) FamilyIndex(ctx context.Context, family, currency string) ([]Point, error) {
	type row struct {
		Date  time.Time `ch:"date"`
		Value float64   `ch:"value"`
	}
	if family == "" { // which means all families to the view
		return nil, nil
	}
	key := pointsKey{family: family, currency: currency}
	if of, there := d.points.GetIfPresent(key); there {
		return of.points, nil
	}
	found, err := rows[row](ctx, d, "backtest_family_index", sql.Arg("family", family), sql.Arg("currency", currency))
	if err != nil {
		return nil, err
	}
	var points []Point
	for _, f := range found {
		points = append(points, Point{model.DateOf(f.Date), f.Value})
	}
	d.points.Set(key, quotedPoints{points: points})
	return points, nil
}

// Symbol implements Source.
func (d *Database) Symbol(ctx context.Context, symbol string) (points []Point, currency string, err error) {
	type row struct {
		Date     time.Time `ch:"date"`
		Close    float64   `ch:"close"`
		Currency string    `ch:"currency"`
	}
	key := pointsKey{symbol: symbol}
	if of, there := d.points.GetIfPresent(key); there {
		return of.points, of.currency, nil
	}
	found, err := rows[row](ctx, d, "backtest_symbol", sql.Arg("symbol", symbol))
	if err != nil {
		return nil, "", err
	}
	for _, f := range found {
		points, currency = append(points, Point{model.DateOf(f.Date), f.Close}), f.Currency
	}
	d.points.Set(key, quotedPoints{points, currency})
	return points, currency, nil
}

// The first and the last day of the type Date of ClickHouse.
var firstStorable, lastStorable = model.NewDate(1970, time.January, 1), model.NewDate(2149, time.June, 6)

// storable returns the day as text, or the nearest one that ClickHouse can store.
func storable(day model.Date) string {
	if day.Compare(firstStorable) < 0 {
		day = firstStorable
	}
	if day.Compare(lastStorable) > 0 {
		day = lastStorable
	}
	return day.String()
}

func texts(days []model.Date) []string {
	list := make([]string, len(days))
	for i, day := range days {
		list[i] = storable(day)
	}
	return list
}
