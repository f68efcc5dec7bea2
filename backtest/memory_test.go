package backtest_test

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"cuota/backtest"
	"cuota/backtest/backtesttest"
	"cuota/model"
)

// memory is a Source of an invented market that a test writes down.
type memory struct {
	batch      backtest.Batch
	candidates map[model.Date][]backtest.Candidate
	histories  map[uint32]*backtest.History
	exchanges  map[uint32][]backtest.Exchange
	dollar, uf func(model.Date) float64
	index      []backtest.Point
}

func (m *memory) Batch(context.Context) (backtest.Batch, error) { return m.batch, nil }

func (m *memory) AnsweringDays(_ context.Context, dates []model.Date) (signals []backtest.Signal, err error) {
	for _, date := range dates {
		if _, there := m.candidates[date]; there {
			signals = append(signals, backtest.Signal{Date: date, Day: date})
		}
	}
	return signals, nil
}

func (m *memory) Candidates(_ context.Context, signals []backtest.Signal, _ backtest.Sight,
	_ backtest.Values) (lists []*backtest.Universe, err error) {
	for _, signal := range signals {
		list := slices.Clone(m.candidates[signal.Day])
		slices.SortFunc(list, func(a, b backtest.Candidate) int { return cmp.Compare(a.Series, b.Series) })
		lists = append(lists, backtest.NewUniverse(list))
	}
	return lists, nil
}

func (m *memory) Histories(_ context.Context, series []uint32, _ model.Date) (map[uint32]*backtest.History, error) {
	found := map[uint32]*backtest.History{}
	for _, id := range series {
		if history := m.histories[id]; history != nil {
			found[id] = history
		}
	}
	return found, nil
}

func (m *memory) Held(_ context.Context, first, last model.Date) (map[uint32]backtest.Held, error) {
	return backtesttest.HeldOf(m.histories, first, last), nil
}

func (m *memory) Exchanges(context.Context) (map[uint32][]backtest.Exchange, error) {
	return m.exchanges, nil
}

func (m *memory) Dollar(_ context.Context, first, last model.Date) ([]float64, error) {
	return each(first, last, m.dollar), nil
}

func (m *memory) UF(_ context.Context, first, last model.Date) ([]float64, error) {
	return each(first, last, m.uf), nil
}

func (m *memory) FamilyIndex(context.Context, string, string) ([]backtest.Point, error) {
	return m.index, nil
}

func (m *memory) Symbol(context.Context, string) ([]backtest.Point, string, error) {
	return nil, "", nil
}

func each(first, last model.Date, value func(model.Date) float64) []float64 {
	out := make([]float64, last.DaysSince(first)+1)
	for i := range out {
		if value != nil {
			out[i] = value(first.AddDays(i))
		}
	}
	return out
}

func date(t *testing.T, text string) model.Date {
	t.Helper()
	d, err := model.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// quotes returns a history with the same quote on every day from first to last.
func quotes(first, last model.Date, quote float64) *backtest.History {
	h := &backtest.History{First: first, Quotas: make([]float64, last.DaysSince(first)+1),
		Factor: map[model.Date]float64{}}
	for i := range h.Quotas {
		h.Quotas[i] = quote
	}
	return h
}

// from changes the quotes from a day on.
func from(h *backtest.History, day model.Date, quote float64) *backtest.History {
	for i := max(0, day.DaysSince(h.First)); i < len(h.Quotas); i++ {
		h.Quotas[i] = quote
	}
	return h
}

// series is a candidate in pesos of a fund of its own, with nothing known but its return of a
// month.
func series(id uint32, oneMonth float64) backtest.Candidate {
	nan := math.NaN()
	return backtest.Candidate{
		Listed: backtest.Listed{Series: id, Fund: 1000 + id, RUN: "1-9", Serie: "A", FundName: "FONDO",
			Manager: "AGF", Alive: true},
		Currency: "PESOS",
		TAC:      nan, EquityCLP: nan, Volatility12: nan, Volatility36: nan, Drawdown36: nan,
		Returns: [8]float64{oneMonth, nan, nan, nan, nan, nan, nan, nan},
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func run(t *testing.T, m *memory, s backtest.Strategy) *backtest.Result {
	t.Helper()
	s, err := s.Complete()
	if err != nil {
		t.Fatal(err)
	}
	out, err := backtest.Run(t.Context(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func valueOn(t *testing.T, out *backtest.Result, text string) backtest.Day {
	t.Helper()
	for _, day := range out.Curve {
		if day.Date == date(t, text) {
			return day
		}
	}
	t.Fatalf("the curve has no day %s", text)
	return backtest.Day{}
}
