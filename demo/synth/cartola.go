package synth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"cuota/model"
)

const cartolaHeader = "RUN_ADM;NOM_ADM;RUN_FM;FECHA_INF;ACTIVO_TOT;MONEDA;PARTICIPES_INST;INVERSION_EN_FONDOS;SERIE;" +
	"CUOTAS_APORTADAS;CUOTAS_RESCATADAS;CUOTAS_EN_CIRCULACION;VALOR_CUOTA;PATRIMONIO_NETO;NUM_PARTICIPES;" +
	"NUM_PARTICIPES_INST;FONDO_PEN;REM_FIJA;REM_VARIABLE;GASTOS_AFECTOS;GASTOS_NO_AFECTOS;COMISION_INVERSION;" +
	"COMISION_RESCATE;FACTOR DE AJUSTE;FACTOR DE REPARTO\n"

// correction is a row that was first published with a wrong quota.
type correction struct {
	run      model.RUN
	serie    string
	date     model.Date
	old, new int64  // quota
	row      []byte // the correct row
}

// writeCartola writes one cartola file for each month, the other files that are published at
// each month's end, and at last the file with corrections. Meanwhile the verified factors go
// into one file.
func (m *market) writeCartola(ctx context.Context, out *output, progress func(days int)) error {
	var err error
	if slices.ContainsFunc(m.series, (*series).verified) {
		listed := out.write(model.Events, "events/factors_sintetico.csv", m.config.End.AddDays(1), func(f *file) {
			f.table("kind", "run", "serie", "date", "distribution_factor", "adjustment_factor", "quota", "currency",
				"source_url", "source_sha256")
			m.factors = f
			err = m.writeMonths(ctx, out, progress)
		})
		err = errors.Join(err, listed)
	} else {
		err = m.writeMonths(ctx, out, progress)
	}
	if err != nil {
		return err
	}
	return m.writeCorrections(out)
}

func (m *market) writeMonths(ctx context.Context, out *output, progress func(days int)) error {
	for from := 0; from < len(m.days); {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("write the market: %w", err)
		}
		to := from
		for to < len(m.days) && m.days[to].month == m.days[from].month {
			to++
		}
		if err := m.writeMonth(out, from, to); err != nil {
			return err
		}
		if to < len(m.days) || m.days[to-1].date.AddDays(1).Time().Day() == 1 {
			if err := m.writeMonthEnd(out, to-1); err != nil {
				return err
			}
		}
		from = to
		progress(to)
	}
	return nil
}

func (m *market) writeCorrections(out *output) error {
	if len(m.corrections) == 0 {
		return nil
	}
	slices.SortFunc(m.corrections, byRUN)
	first, last := m.days[0].compact, m.days[len(m.days)-1].compact
	name := fmt.Sprintf("cartola/ffmm_sintetico_correccion_%s_%s.txt", first[:], last[:])
	return m.writeRows(out, name, m.config.End.AddDays(correctedAfter), func(f *file) {
		for _, c := range m.corrections {
			f.add(c.row)
		}
	})
}

// correctedAfter is how many days after its end the market publishes its corrections.
const correctedAfter = 2

func (m *market) writeMonth(out *output, from, to int) error {
	first, last := m.days[from], m.days[to-1]
	name := fmt.Sprintf("cartola/ffmm_sintetico_%s_%s.txt", first.compact[:], last.compact[:])
	return m.writeRows(out, name, last.date.AddDays(1), func(f *file) {
		for _, fund := range m.funds {
			for _, s := range fund.series {
				if s.story.start < to && s.story.end > from {
					s.begin()
				}
			}
			for d := from; d < to; d++ {
				m.writeDay(f, fund, d)
			}
		}
	})
}

// writeRows writes a cartola file and adds it to the expected counts.
func (m *market) writeRows(out *output, name string, published model.Date, rows func(*file)) error {
	return out.write(model.Cartola, name, published, func(f *file) {
		f.truth = CartolaFile{File: name, Rejected: map[string]int{}}
		f.text(cartolaHeader)
		rows(f)
		m.cartola = append(m.cartola, f.truth)
		m.rows += uint64(f.truth.Rows)
		for _, n := range f.truth.Rejected {
			m.rejected += uint64(n)
		}
	})
}

// writeDay moves a fund to a day and writes the rows of its series. It begins with a random
// series, because the regulator's order within a day varies too.
func (m *market) writeDay(f *file, fund *fund, d int) {
	on := m.days[d]
	all := m.climate.families[d][fund.familyIndex]
	gross := all.pesos
	if fund.dollars() {
		gross = all.dollars
	}
	if on.working {
		gross += fund.drift/workedDays + .25*fund.family.volatility/100/rootOfYear*fund.rng.NormFloat64()
	}
	fund.bill.draw(&fund.habits, on, gross)
	total, present := int64(0), 0
	for _, s := range fund.series {
		if s.shown = s.live(d, on, gross); s.shown {
			present++
			total += s.equity
		}
		m.note(s, d)
	}
	fund.assets = 0
	if present == 0 {
		return
	}
	m.noteExchange(fund, d)
	fund.state(on, total)
	begin := fund.rng.IntN(len(fund.series))
	for i := range fund.series {
		s := fund.series[(begin+i)%len(fund.series)]
		if s.shown {
			m.writeSeries(f, s, d)
			if s.verified() {
				m.writeFactor(s, d)
			}
		}
	}
}

// writeSeries writes one row: a correct one, a broken one, or one with a wrong quota that is
// corrected later.
func (m *market) writeSeries(f *file, s *series, d int) {
	if slices.Contains(s.story.corrected, d) {
		right := s.append(nil, m.days[d], d, s.quota, whole)
		wrong := s.quota + s.quota/100 + 1
		m.corrections = append(m.corrections, correction{
			run: s.fund.run, serie: s.serie, date: m.days[d].date, old: wrong, new: s.quota, row: right,
		})
		f.buffer = s.append(f.buffer, m.days[d], d, wrong, whole)
		f.end()
		return
	}
	broken := whole
	if m.config.Bad > 0 && slices.Contains(s.story.damaged, d) {
		broken = m.damage.force()
	} else {
		broken = m.damage.strike(d == len(m.days)-1 || s.story.fragile(d))
	}
	f.buffer = s.append(f.buffer, m.days[d], d, s.quota, broken)
	f.end()
	if broken != whole {
		f.truth.Rejected[faultNames[broken]]++
		m.noteBroken(s, d, broken, f)
	}
}

// append appends the row of the series to a buffer.
func (s *series) append(to []byte, on day, d int, quota int64, broken fault) []byte {
	f := s.fund
	to = append(to, f.prefix...)
	if broken == date {
		to = append(to, on.compact[:4]...)
		to = append(to, "0230"...)
	} else {
		to = append(to, on.compact[:]...)
	}
	to = append(to, ';')
	to = appendNumber(to, f.stated, 4)
	to = append(to, ';')
	to = append(to, f.moneda...)
	if f.institution() {
		to = append(to, ";S;"...)
	} else {
		to = append(to, ";N;"...)
	}
	to = appendNumber(to, f.invested, 4)
	to = append(to, ';')
	to = append(to, s.name(d)...)
	to = append(to, ';')
	to = appendNumber(to, s.contributed, 4)
	to = append(to, ';')
	to = appendNumber(to, s.redeemed, 4)
	to = append(to, ';')
	to = appendNumber(to, s.units, 4)
	to = append(to, ';')
	to = appendQuota(to, quota, broken)
	to = append(to, ';')
	equity := s.equity
	if quota != s.quota {
		equity = s.worth(quota)
	}
	to = appendNumber(to, equity, 4)
	to = append(to, ';')
	holders, institutions := s.holders, s.institutions
	if s.units == 0 {
		holders, institutions = 0, 0
	}
	to = strconv.AppendInt(to, holders, 10)
	to = append(to, ';')
	to = strconv.AppendInt(to, institutions, 10)
	to = append(to, ";N;"...)
	to = s.appendCosts(to)
	to = append(to, ";0;"...)
	to = appendNumber(to, s.commission, 4)
	to = append(to, ';')
	if s.adjust != 0 {
		to = strconv.AppendInt(to, s.adjust, 10)
	}
	if broken == columns {
		return append(to, '\n')
	}
	to = append(to, ';')
	if s.distribute != 0 {
		to = appendNumber(to, s.distribute, 9)
	}
	return append(to, '\n')
}

// institution reports whether an institution holds units of the fund.
func (f *fund) institution() bool {
	return slices.ContainsFunc(f.series, func(s *series) bool { return s.shown && s.units > 0 && s.institutions > 0 })
}

func (s *series) appendCosts(to []byte) []byte {
	to = appendNumber(to, s.cost.fixed, 4)
	to = append(to, ';')
	to = appendNumber(to, s.cost.variable, 4)
	to = append(to, ';')
	to = appendNumber(to, s.cost.affected, 4)
	to = append(to, ';')
	return appendNumber(to, s.cost.unaffected, 4)
}

func appendQuota(to []byte, quota int64, broken fault) []byte {
	switch broken {
	case comma:
		return fmt.Appendf(to, "%d,%04d", quota/scale, quota%scale)
	case negative:
		quota = -quota
	case words:
		return append(to, "SIN INFORMACION"...)
	}
	return appendNumber(to, quota, 4)
}
