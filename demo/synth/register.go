package synth

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"cuota/model"
)

// registered is a line of the register of mutual funds.
type registered struct {
	run            model.RUN
	manager        *manager
	name, short    string
	kind           byte
	moneda         string
	started, ended model.Date // zero while open
}

// writeRegister writes the register: the funds of the cartola and those that ended before the
// cartola begins. Each line is repeated as often as in the real register.
func (m *market) writeRegister(out *output) error {
	rng := stream(m.config.Seed, registerStream)
	lines := m.registeredFunds(rng)
	m.registered = len(lines)
	name := fmt.Sprintf("register/fm_ident_sintetico_%s.txt", compact(m.config.End))
	return out.write(model.Register, name, m.config.End.AddDays(1), func(f *file) {
		f.text("RUT Administradora;Raz. Social Administradora;RUN Fondo;Nombre Fondo;Nombre Corto;" +
			"Fecha Res. Aprobación del RI;Nro. Res. Aprobación del RI;Tipo de Fondo Mutuo;" +
			"Fecha Inicio Operaciones;Fecha Término Operaciones;Moneda\n")
		for _, r := range lines {
			ended := ""
			if !r.ended.IsZero() {
				ended = slashed(r.ended)
			}
			line := strings.Join([]string{
				number(int64(r.manager.rut) * scale), r.manager.name, number(int64(r.run) * scale), r.name, r.short,
				slashed(r.started.AddDays(-10 - rng.IntN(20))), strconv.Itoa(1 + rng.IntN(500)),
				strconv.Itoa(int(r.kind)),
				slashed(r.started), ended, r.moneda,
			}, ";") + "\n"
			for range 1 + pick(rng, len(registerCopies), func(i int) int { return registerCopies[i] }) {
				f.text(line)
			}
		}
	})
}

func (m *market) registeredFunds(rng *rand.Rand) []registered {
	var lines []registered
	begin := m.days[0].date
	for _, f := range m.funds {
		start := len(m.days)
		for _, s := range f.series {
			start = min(start, s.story.start)
		}
		r := registered{run: f.run, manager: f.manager, name: f.name, short: f.short, kind: f.family.kind,
			moneda: f.moneda}
		if start > 0 {
			r.started = m.days[start].date
		} else {
			r.started = begin.AddDays(-1 - rng.IntN(7000))
		}
		if f.ended >= 0 {
			r.ended = m.days[f.ended-1].date
		}
		lines = append(lines, r)
	}
	for range int(closedPerOpen * float64(len(m.funds))) {
		like := m.funds[rng.IntN(len(m.funds))]
		short := fmt.Sprintf("%s %s %d", mark, shortFamily(like.family), len(lines)+1)
		r := registered{
			run: firstRUN + model.RUN(len(lines)), manager: like.manager, name: "FONDO MUTUO " + short, short: short,
			kind: like.family.kind, moneda: like.moneda, ended: begin.AddDays(-1 - rng.IntN(3000)),
		}
		r.started = r.ended.AddDays(-100 - rng.IntN(4000))
		lines = append(lines, r)
	}
	return lines
}

func slashed(date model.Date) string { return date.Time().Format("02/01/2006") }

func compact(date model.Date) string { return date.Time().Format("20060102") }
