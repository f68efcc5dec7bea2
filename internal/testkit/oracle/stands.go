package oracle

import "time"

// Standing returns the row that stands for a series on a day (RULES 7): its newest one of the day
// or of the seven days before. ok is false if there is none, if the fund has ended or if the
// series was exchanged since. A void row has the quota 0.
func (m *Market) Standing(series Series, on time.Time) (row Row, ok bool) {
	q, ok := m.standing(series, on)
	if !ok {
		return Row{}, false
	}
	return Row{
		Run: series.Run, Serie: series.Name, Day: q.day, Moneda: q.moneda, Quota: q.quota, Equity: q.equity,
		Adjust: q.adjust, Payout: q.payout, Manager: q.manager, Shareholders: q.shareholders,
	}, true
}
