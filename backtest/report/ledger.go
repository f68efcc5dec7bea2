package report

import "cuota/internal/site/locale"

import "cuota/backtest"

// ledgerRow is a line of the bias ledger as texts.
type ledgerRow struct {
	Run, Return, Difference, Rank, RankDifference, Says string
	Stated                                              bool
}

func (p *page) ledgerRows(r *backtest.Result) []ledgerRow {
	l := p.language
	var rows []ledgerRow
	for _, line := range r.Ledger {
		row := ledgerRow{Run: p.coded("run", line.Run), Return: l.Share(line.TotalReturn, 1), Difference: locale.Dash,
			Rank: locale.Dash, RankDifference: locale.Dash,
			Says: p.ledgerSays(&r.Strategy, line), Stated: line.Run == "as_stated"}
		if line.Rank != 0 {
			row.Rank = p.say("ledger_of", l.Number(float64(line.Rank), 0), l.Number(float64(line.Of), 0))
		}
		if !row.Stated {
			if line.ReturnDifference != nil {
				row.Difference = p.points(*line.ReturnDifference)
			}
			if line.Rank != 0 {
				row.RankDifference = locale.Signed(float64(line.RankDifference),
					l.Number(float64(line.RankDifference), 0))
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// points returns a difference of returns in percentage points, with its sign.
func (p *page) points(difference float64) string {
	return locale.Signed(difference, p.language.Number(difference*100, 2))
}

// ledgerSays returns the sentence of a line.
func (p *page) ledgerSays(s *backtest.Strategy, line backtest.LedgerLine) string {
	already := false
	switch line.Run {
	case "as_stated":
		return p.say("as_stated_says")
	case "survivors_only":
		already = s.Universe == "current"
	case "revised_data":
		already = s.Known == "revised"
	case "without_costs":
		already = s.Costs == backtest.Costs{} && s.RedemptionDays != nil && *s.RedemptionDays == 0
	default:
		return p.say("ledger_says_unknown_run")
	}
	switch difference := line.ReturnDifference; {
	case already:
		return p.say(line.Run + "_already")
	case difference == nil:
		return p.say("ledger_says_unknown")
	case *difference == 0:
		return p.say(line.Run + "_same")
	case isTiny(*difference):
		return p.say("ledger_says_tiny")
	case *difference > 0:
		return p.say(line.Run + "_more")
	}
	return p.say(line.Run + "_less")
}

// ledgerSummary returns the three differences in one sentence; none if a line is missing.
func (p *page) ledgerSummary(r *backtest.Result) string {
	var parts []any
	for _, run := range []string{"survivors_only", "revised_data", "without_costs"} {
		for _, line := range r.Ledger {
			if line.Run == run {
				parts = append(parts, p.change(line.ReturnDifference))
				break
			}
		}
	}
	if len(parts) != 3 {
		return ""
	}
	return p.say("ledger_summary", parts...)
}

func (p *page) change(difference *float64) string {
	switch {
	case difference == nil:
		return p.say("ledger_unknown")
	case *difference == 0:
		return p.say("ledger_same")
	case isTiny(*difference):
		return p.say("ledger_almost")
	case *difference > 0:
		return p.say("ledger_more", p.language.Number(*difference*100, 2))
	}
	return p.say("ledger_less", p.language.Number(-*difference*100, 2))
}
