package query

import (
	"time"

	"cuota/model"
)

// batchFacts is the part of meta about the batch that every reply has (RULES 1).
type batchFacts struct {
	CalculatedAt     *time.Time  `json:"calculated_at"`
	CalculationDate  *model.Date `json:"calculation_date"`
	BatchID          string      `json:"batch_id"`
	InputFingerprint string      `json:"input_fingerprint"`
	LatestComplete   *model.Date `json:"latest_complete_date"`
	CutoffAgeDays    *int        `json:"cutoff_age_days"`   // from the latest complete date to today
	SnapshotLagDays  *int        `json:"snapshot_lag_days"` // from the cutoff to the latest complete date
	RefreshRequired  bool        `json:"refresh_required"`  // the cutoff is before the latest complete date
}

func factsOf(p pinned) batchFacts {
	b := p.batch
	facts := batchFacts{
		CalculatedAt:     new(b.CalculatedAt.UTC()),
		CalculationDate:  dateOf(&b.CalculationDate),
		BatchID:          b.ID,
		InputFingerprint: b.InputFingerprint,
		LatestComplete:   dateOf(b.LatestComplete),
	}
	if b.LatestComplete != nil {
		facts.CutoffAgeDays = new(max(0, p.today.DaysSince(*facts.LatestComplete)))
		if b.AsOf != nil {
			facts.SnapshotLagDays = new(max(0, facts.LatestComplete.DaysSince(model.DateOf(*b.AsOf))))
			facts.RefreshRequired = *facts.SnapshotLagDays > 0
		}
	}
	return facts
}

func dateOf(t *time.Time) *model.Date { return mapped(t, model.DateOf) }
