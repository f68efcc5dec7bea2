package history

import (
	"context"
	"fmt"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sync/errgroup"

	"cuota/backtest"
	"cuota/internal/bounded"
	"cuota/model"
	"cuota/sql"
)

// Source reads one published batch from ClickHouse, as a [backtest.Source]. It keeps what it has read
// in memory, up to a limit, because runs on the same dates read the same. Runs may share it.
// What its methods return must not be changed. A method fails with a *sql.ReadError if ClickHouse does not answer.
type Source struct {
	reader sql.Reader
	batch  uint64

	// Values of one kind are read by one run at a time, so that runs that start together read once.
	readingDays, readingCandidates, readingHistories, readingHeld sync.Mutex

	described  once[describedBatch]
	rated      once[rates]
	exchanges  once[map[uint32][]backtest.Exchange]
	rostered   once[*backtest.Roster]
	built      once[builtDays]
	published  once[publications]
	risks      once[[][]riskMonth]
	costs      once[[]seriesCosts]
	ratings    once[ratings]
	corrected  once[laterRows]
	happened   once[map[uint32]steps]    // a series without a step is missing
	answering  map[model.Date]model.Date // the day that answers for a date, zero if none does
	words      *interned
	days       bounded.Cache[model.Date, *dayOfRows]
	candidates bounded.Cache[signalKey, readUniverse]
	histories  bounded.Cache[uint32, readHistory]
	held       bounded.Cache[heldDays, map[uint32]backtest.Held]
	points     bounded.Cache[pointsKey, quotedPoints]

	historiesRead int // number of series whose histories were read
	mostLater     int // how many rows of laterRows are kept
}

// The memory that a Source keeps in bytes, roughly. What it needs besides, of each series and
// month, grows with the market: about 100 MB for 3,000 series over ten years.
const (
	keptDays       = 128 << 20
	keptCandidates = 512 << 20
	keptHistories  = 256 << 20
	keptHeld       = 32 << 20
	keptPoints     = 8 << 20
)

// NewSource returns the source of a batch, which must be published.
func NewSource(reader sql.Reader, batch uint64) *Source {
	return &Source{
		reader: reader, batch: batch, words: newInterned(), answering: map[model.Date]model.Date{},
		mostLater: mostLater,
		days: keeping(keptDays, func(_ model.Date, day *dayOfRows) int {
			return len(day.rows) * (standingRowBytes + len(day.windows)*windowRowBytes)
		}),
		candidates: keeping(keptCandidates, func(_ signalKey, u readUniverse) int {
			return u.Bytes() + len(u.differing)*knownRowBytes
		}),
		histories: keeping(keptHistories, func(_ uint32, h readHistory) int { return historyBytes + 8*len(h.quotas) }),
		held: keeping(keptHeld, func(_ heldDays, held map[uint32]backtest.Held) int {
			return len(held) * heldBytes
		}),
		points: keeping(keptPoints, func(_ pointsKey, of quotedPoints) int { return len(of.points) * pointBytes }),
	}
}

// keeping returns a cache of at most so many bytes. Each value counts 64 bytes besides its own.
func keeping[K comparable, V any](most uint64, size func(K, V) int) bounded.Cache[K, V] {
	return bounded.OfBytes(most, func(key K, value V) int { return 64 + size(key, value) })
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
func rows[T any](ctx context.Context, src *Source, statement string, args ...any) ([]T, error) {
	return sql.Rows[T](ctx, src.reader, statement, append(args, sql.Arg("batch", src.batch))...)
}

// describedBatch is the batch of a source, and whether this version of the program built it.
type describedBatch struct {
	backtest.Batch
	ownRules bool
}

// source names where statements find what this version stores and earlier ones did not.
func (b describedBatch) source() string {
	if b.ownRules {
		return "stored"
	}
	return "computed"
}

// Batch implements [backtest.Source].
func (src *Source) Batch(ctx context.Context) (backtest.Batch, error) {
	batch, err := src.describe(ctx)
	return batch.Batch, err
}

func (src *Source) describe(ctx context.Context) (describedBatch, error) {
	return src.described.get(func() (describedBatch, error) { return src.readBatch(ctx) })
}

func (src *Source) readBatch(ctx context.Context) (describedBatch, error) {
	type row struct {
		Batch       uint64    `ch:"batch"`
		ID          string    `ch:"batch_id"`
		Cutoff      time.Time `ch:"cutoff"`
		PublishedAt time.Time `ch:"published_at"`
		Fingerprint string    `ch:"fingerprint"`
		Rules       string    `ch:"rules"`
	}
	found, err := rows[row](ctx, src, "backtest_batch")
	if err != nil {
		return describedBatch{}, err
	}
	if len(found) != 1 {
		return describedBatch{}, fmt.Errorf("batch %d is not published, or not kept any more: choose another batch",
			src.batch)
	}
	b := found[0]
	batch := backtest.Batch{Number: b.Batch, ID: b.ID, Cutoff: model.DateOf(b.Cutoff), Fingerprint: b.Fingerprint,
		PublishedAt: b.PublishedAt.UTC()}
	return describedBatch{batch, b.Rules == sql.Rules()}, nil
}

// AnsweringDays implements [backtest.Source].
func (src *Source) AnsweringDays(ctx context.Context, dates []model.Date) ([]backtest.Signal, error) {
	src.readingDays.Lock()
	defer src.readingDays.Unlock()
	var missing []model.Date
	for _, date := range dates {
		if _, there := src.answering[date]; !there {
			missing = append(missing, date)
		}
	}
	if len(missing) > 0 {
		reads, ctx := errgroup.WithContext(ctx)
		reads.Go(func() error { return src.readAnswering(ctx, missing) })
		// Read ahead, because every run needs these next.
		reads.Go(func() error { return errorOf(src.roster(ctx)) })
		reads.Go(func() error { return errorOf(src.builds(ctx)) })
		reads.Go(func() error { return errorOf(src.publications(ctx)) })
		if err := reads.Wait(); err != nil {
			return nil, err
		}
	}
	var signals []backtest.Signal
	for _, date := range dates {
		if day := src.answering[date]; !day.IsZero() {
			signals = append(signals, backtest.Signal{Date: date, Day: day})
		}
	}
	return signals, nil
}

// errorOf returns only the error of a read whose value is kept.
func errorOf[T any](_ T, err error) error { return err }

func (src *Source) readAnswering(ctx context.Context, dates []model.Date) error {
	type row struct {
		Asked time.Time `ch:"asked"`
		Day   time.Time `ch:"day"`
	}
	found, err := rows[row](ctx, src, "backtest_answering_days", sql.Arg("dates", texts(dates)))
	if err != nil {
		return err
	}
	for _, date := range dates {
		src.answering[date] = model.Date{}
	}
	for _, f := range found {
		src.answering[model.DateOf(f.Asked)] = model.DateOf(f.Day)
	}
	return nil
}

// Exchanges implements [backtest.Source].
func (src *Source) Exchanges(ctx context.Context) (map[uint32][]backtest.Exchange, error) {
	return src.exchanges.get(func() (map[uint32][]backtest.Exchange, error) { return src.readExchanges(ctx) })
}

func (src *Source) readExchanges(ctx context.Context) (map[uint32][]backtest.Exchange, error) {
	type row struct {
		Origin uint32    `ch:"origin_id"`
		On     time.Time `ch:"effective_date"`
		Into   uint32    `ch:"destination_id"`
		Factor float64   `ch:"factor"`
	}
	found, err := rows[row](ctx, src, "backtest_exchanges")
	if err != nil {
		return nil, err
	}
	exchanges := map[uint32][]backtest.Exchange{}
	for _, f := range found {
		exchanges[f.Origin] = append(exchanges[f.Origin],
			backtest.Exchange{On: model.DateOf(f.On), Into: f.Into, Factor: f.Factor})
	}
	return exchanges, nil
}

// rates are the official dollar and the UF of each day from the first one that has any; 0 where there is none.
type rates struct {
	first      model.Date
	dollar, uf []float64
}

// Dollar implements [backtest.Source].
func (src *Source) Dollar(ctx context.Context, first, last model.Date) ([]float64, error) {
	all, err := src.rates(ctx)
	return between(all.dollar, all.first, first, last), err
}

// UF implements [backtest.Source].
func (src *Source) UF(ctx context.Context, first, last model.Date) ([]float64, error) {
	all, err := src.rates(ctx)
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

func (src *Source) rates(ctx context.Context) (rates, error) {
	return src.rated.get(func() (rates, error) { return src.readRates(ctx) })
}

// readRates reads the rates of all days. They are few, and runs need them of different days.
func (src *Source) readRates(ctx context.Context) (rates, error) {
	type row struct {
		Date  time.Time `ch:"date"`
		Dolar float64   `ch:"dolar"`
		UF    float64   `ch:"uf"`
	}
	found, err := rows[row](ctx, src, "backtest_rates", sql.Arg("from", firstStorable.String()),
		sql.Arg("to", lastStorable.String()))
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
	points   []backtest.Point
	currency string
}

const pointBytes = int(unsafe.Sizeof(backtest.Point{}))

// FamilyIndex implements [backtest.Source].
func (src *Source) FamilyIndex(ctx context.Context, family, currency string) ([]backtest.Point, error) {
	type row struct {
		Date  time.Time `ch:"date"`
		Value float64   `ch:"value"`
	}
	if family == "" { // which means all families to the view
		return nil, nil
	}
	key := pointsKey{family: family, currency: currency}
	if of, there := src.points.Known(key); there {
		return of.points, nil
	}
	found, err := rows[row](ctx, src, "backtest_family_index", sql.Arg("family", family), sql.Arg("currency", currency))
	if err != nil {
		return nil, err
	}
	var points []backtest.Point
	for _, f := range found {
		points = append(points, backtest.Point{Day: model.DateOf(f.Date), Value: f.Value})
	}
	src.points.Keep(key, quotedPoints{points: points})
	return points, nil
}

// Symbol implements [backtest.Source].
func (src *Source) Symbol(ctx context.Context, symbol string) (points []backtest.Point, currency string, err error) {
	type row struct {
		Date     time.Time `ch:"date"`
		Close    float64   `ch:"close"`
		Currency string    `ch:"currency"`
	}
	key := pointsKey{symbol: symbol}
	if of, there := src.points.Known(key); there {
		return of.points, of.currency, nil
	}
	found, err := rows[row](ctx, src, "backtest_symbol", sql.Arg("symbol", symbol))
	if err != nil {
		return nil, "", err
	}
	for _, f := range found {
		points, currency = append(points, backtest.Point{Day: model.DateOf(f.Date), Value: f.Close}), f.Currency
	}
	src.points.Keep(key, quotedPoints{points, currency})
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
