package backtest

import (
	"context"
	"time"

	"cuota/model"
)

// Source is what a run reads of one published batch. All its answers are of the same batch. If a method fails, the
// run fails with its error. The Source of package backtest/history reads a batch from ClickHouse.
type Source interface {
	// Batch describes the batch.
	Batch(ctx context.Context) (Batch, error)
	// AnsweringDays returns for each date, in ascending order, the day that answers for it
	// (section 1). Dates that no day answers for are missing.
	AnsweringDays(ctx context.Context, dates []model.Date) ([]Signal, error)
	// Candidates returns a universe for each signal, in the order of the signals (sections 2 and 3). Values that are
	// not asked for may be missing.
	Candidates(ctx context.Context, signals []Signal, sight Sight, values Values) ([]*Universe, error)
	// Histories returns the quotes of series from the first quote on or after the day 8 days before
	// from until the cutoff (section 4).
	Histories(ctx context.Context, series []uint32, from model.Date) (map[uint32]*History, error)
	// Held returns what becomes of one quota of each series that is held from one day to another
	// (section 7). Series without a quote on the first day or the 7 days before it are missing.
	Held(ctx context.Context, first, last model.Date) (map[uint32]Held, error)
	// Exchanges returns the verified exchanges between series of one currency by the series whose
	// quotas are given up, those of a series by date.
	Exchanges(ctx context.Context) (map[uint32][]Exchange, error)
	// Dollar returns the pesos for a dollar on each day from the first to the last one, not older
	// than 7 days (RULES 1); 0 where there is none.
	Dollar(ctx context.Context, first, last model.Date) ([]float64, error)
	// UF returns the pesos for a UF on each day; 0 where there is none.
	UF(ctx context.Context, first, last model.Date) ([]float64, error)
	// FamilyIndex returns the points of a family index by ascending day; none if there is no such index.
	FamilyIndex(ctx context.Context, family, currency string) ([]Point, error)
	// Symbol returns the closing prices of a benchmark by ascending day, and their currency; none if it is not
	// loaded.
	Symbol(ctx context.Context, symbol string) (points []Point, currency string, err error)
}

// Batch is the published batch that a run reads.
type Batch struct {
	Number uint64     `json:"number"`
	ID     string     `json:"id"`
	Cutoff model.Date `json:"cutoff"` // latest complete day
	// of the files and rules that the batch was computed from, SHA-256 in hex
	Fingerprint string    `json:"fingerprint"`
	PublishedAt time.Time `json:"published_at"`
}

// Signal is a date on which series are selected.
type Signal struct {
	Date  model.Date // as the strategy has it
	Day   model.Date // the day of the market that answers for it
	Order model.Date // the earlier of its order days: what was published by its end is known; set by the run
}

// Sight is what a run sees of the candidates of a signal (section 2).
type Sight struct {
	// only what was known by the end of the Order day of the signal, else everything as the batch has it
	Then            bool
	ClassifiedLater bool // families and categories before the first statement of a series are those of that statement
}

// Listed is what a series is on all dates. Texts are as the source writes them; one that is not known is empty.
type Listed struct {
	Series, Fund uint32
	RUN          string // with check digit
	Serie        string
	FundName     string
	Manager      string
	ManagerID    uint32 // of Manager: several managers may have one name
	FirstQuote   model.Date
	Alive        bool // at the cutoff of the batch
}

// Classified is what catalogues say of a series on a date. Candidates share it. A text that is not known is empty.
type Classified struct {
	Category      string // money_market, fixed_income, balanced, equity, structured or other
	Family        string // familia_rar
	InvestorClass string // dated with the classification, else with the cost rate
	RatedClass    string // investor class of the rating
	Spheres       int    // 1 to 5, 0 unknown
}

// History has the quotes of one series by calendar day (section 4).
type History struct {
	First  model.Date             // day of Quotas[0]
	Quotas []float64              // in the currency of the series; 0 on a day without a quote
	Factor map[model.Date]float64 // by which the number of quotas is multiplied with the quote of a day; absent: 1
	Breaks []model.Date           // ascending: the later of the two quotes between which the series breaks
}

// Held is what becomes of one quota of a series that is held over a period, or until the day before
// the series breaks.
type Held struct {
	First  float64    // quote at the beginning, in the currency of the series
	Last   float64    // newest quote up to the end
	LastOn model.Date // day of Last
	Quotas float64    // into which one quota grew by distributions and changes of its unit
	Broken bool       // whether the series breaks within the period
	Newest model.Date // day of the newest quote of the batch
}

// Exchange gives quotas of another series for those of a series.
type Exchange struct {
	On     model.Date // first day with the quotas of the destination
	Into   uint32
	Factor float64 // number of quotas of the destination for one
}

// Point is a value on a day.
type Point struct {
	Day   model.Date
	Value float64
}
