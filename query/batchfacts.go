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
	calculated := b.CalculatedAt.UTC()
	facts := batchFacts{
		CalculatedAt:     &calculated,
		CalculationDate:  dateOf(&b.CalculationDate),
		BatchID:          b.ID,
		InputFingerprint: b.InputFingerprint,
		LatestComplete:   dateOf(b.LatestComplete),
	}
	if b.LatestComplete != nil {
		age := max(0, daysBetween(*b.LatestComplete, p.today.Time()))
		facts.CutoffAgeDays = &age
		if b.AsOf != nil {
			lag := max(0, daysBetween(*b.AsOf, *b.LatestComplete))
			facts.SnapshotLagDays = &lag
			facts.RefreshRequired = lag > 0
		}
	}
	return facts
}

func dateOf(t *time.Time) *model.Date {
	if t == nil {
		return nil
	}
	date := model.DateOf(*t)
	return &date
}

func daysBetween(from, to time.Time) int {
	return int(to.Sub(from).Round(24*time.Hour) / (24 * time.Hour))
}
