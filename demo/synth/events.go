package synth

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"

	"cuota/model"
)

// exchange is a series that was exchanged for another when it closed.
type exchange struct {
	origin, destination  *series
	effective, valuation model.Date
	factor               int64 // quotas of the destination for one of the origin, in 1/1,000,000,000
}

const factorScale = 1_000_000_000

// verified reports whether the series has verified factors. Only series whose story is about
// factors have them, and then on every day.
func (s *series) verified() bool {
	return s.story.kind == distributing || s.story.kind == adjustment
}

// writeFactor writes the factors of a series on a day.
func (m *market) writeFactor(s *series, d int) {
	distributed, adjusted := "1", "1"
	if s.distribute != 0 {
		distributed = string(appendNumber(nil, s.distribute, 9))
	}
	if s.adjust != 0 {
		adjusted = strconv.FormatInt(s.adjust, 10)
	}
	date := m.days[d].date.String()
	url, sum := evidence("factor", s.fund.run, s.serie, date)
	m.factors.table(model.KindFactor, s.fund.run.String(), s.serie, date, distributed, adjusted, plainNumber(s.quota),
		s.fund.accounting(), url, sum)
}

// accounting returns the API's name of the fund's currency.
func (f *fund) accounting() string {
	if f.dollars() {
		return "DOLAR"
	}
	return "PESOS"
}

// noteExchange records the exchange of each series that ends on this day.
func (m *market) noteExchange(fund *fund, d int) {
	for _, s := range fund.series {
		into := s.story.into
		if into == nil || d != s.story.end-1 || !s.shown || !into.shown {
			continue
		}
		m.exchanges = append(m.exchanges, exchange{
			origin: s, destination: into, effective: m.days[d].date.AddDays(1), valuation: m.days[d].date,
			factor: int64(math.Round(float64(s.quota) / float64(into.quota) * factorScale)),
		})
	}
}

func (m *market) writeRenames(out *output) error {
	var list []*series
	for _, s := range m.series {
		if s.story.kind == renamed {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return out.write(model.Events, "events/renames_sintetico.csv", m.config.End.AddDays(1), func(f *file) {
		f.table("kind", "run", "previous_serie", "current_serie", "first_current_date", "source_url", "source_sha256")
		for _, s := range list {
			url, sum := evidence("rename", s.fund.run, s.serie)
			f.table(model.KindRename, s.fund.run.String(), s.story.previous, s.serie,
				m.days[s.story.renamedOn].date.String(), url, sum)
		}
	})
}

func (m *market) writeExchanges(out *output) error {
	if len(m.exchanges) == 0 {
		return nil
	}
	return out.write(model.Events, "events/exchanges_sintetico.csv", m.config.End.AddDays(1), func(f *file) {
		f.table("kind", "event_id", "revision", "origin_run", "origin_serie", "destination_run", "destination_serie",
			"effective_date", "valuation_date", "factor", "source_url", "source_sha256")
		for i, x := range m.exchanges {
			id := fmt.Sprintf("sintetico-%d", i+1)
			url, sum := evidence("exchange", id)
			f.table(model.KindExchange, id, "1", x.origin.fund.run.String(), x.origin.serie,
				x.destination.fund.run.String(), x.destination.serie,
				x.effective.String(), x.valuation.String(), exchangeFactor(x), url, sum)
		}
	})
}

func exchangeFactor(x exchange) string {
	return withZero(appendNumber(nil, x.factor, 9))
}

// evidence returns an invented document that proves an event. Its URL is on a domain that can't
// exist.
func evidence(of ...any) (url, sum string) {
	document := sha256.Sum256([]byte(fmt.Sprintln(of...)))
	sum = hex.EncodeToString(document[:])
	return "https://sintetico.invalid/" + sum[:16], sum
}
