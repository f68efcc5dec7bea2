package operation

import (
	"time"

	"cuota/model"
)

// BatchFacts is the part of meta about the batch that every reply has (RULES 1).
type BatchFacts struct {
	CalculatedAt     *time.Time  `json:"calculated_at"`
	CalculationDate  *model.Date `json:"calculation_date"`
	BatchID          string      `json:"batch_id"`
	InputFingerprint string      `json:"input_fingerprint"`
	LatestComplete   *model.Date `json:"latest_complete_date"`
	CutoffAgeDays    *int        `json:"cutoff_age_days"`   // from the latest complete date to today
	SnapshotLagDays  *int        `json:"snapshot_lag_days"` // from the cutoff to the latest complete date
	RefreshRequired  bool        `json:"refresh_required"`  // the cutoff is before the latest complete date
}

// FactsOf returns what replies say of the batch.
func FactsOf(p Pinned) BatchFacts {
	b := p.Batch
	facts := BatchFacts{
		CalculatedAt:     new(b.CalculatedAt.UTC()),
		CalculationDate:  DateOf(&b.CalculationDate),
		BatchID:          b.ID,
		InputFingerprint: b.InputFingerprint,
		LatestComplete:   DateOf(b.LatestComplete),
	}
	if b.LatestComplete != nil {
		facts.CutoffAgeDays = new(max(0, p.Today.DaysSince(*facts.LatestComplete)))
		if b.AsOf != nil {
			facts.SnapshotLagDays = new(max(0, facts.LatestComplete.DaysSince(model.DateOf(*b.AsOf))))
			facts.RefreshRequired = *facts.SnapshotLagDays > 0
		}
	}
	return facts
}

// DateOf returns the day of an instant; nil for nil.
func DateOf(t *time.Time) *model.Date { return Mapped(t, model.DateOf) }
