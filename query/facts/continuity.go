package facts

import (
	"time"

	"cuota/model"
	"cuota/query/operation"
)

// Renamed is the newest rename of a series, as the tables have it. Most series have none.
type Renamed struct {
	PreviousSerie *string    `ch:"previous_serie"`
	CurrentSerie  *string    `ch:"current_serie"`
	FirstCurrent  *time.Time `ch:"first_current_date"`
	AliasIDs      []uint32   `ch:"alias_ids"` // the id of the newest name first
}

// Continuity says that a series continues under another name. It stays one series, which is
// found by every id that it ever had (RULES 1).
type Continuity struct {
	Type          string      `json:"type"`
	PreviousSerie string      `json:"previousSerie"`
	CurrentSerie  string      `json:"currentSerie"`
	FirstCurrent  *model.Date `json:"firstCurrentDate"`
	AliasIDs      []string    `json:"aliasIds"` // of the current name, the previous one, and those before
}

// Continuity returns nil for a series that was never renamed.
func (r Renamed) Continuity() *Continuity {
	if len(r.AliasIDs) == 0 || r.PreviousSerie == nil || r.CurrentSerie == nil {
		return nil
	}
	out := &Continuity{
		Type: "rename", PreviousSerie: *r.PreviousSerie, CurrentSerie: *r.CurrentSerie,
		FirstCurrent: operation.DateOf(r.FirstCurrent),
		AliasIDs:     make([]string, len(r.AliasIDs)),
	}
	for i, id := range r.AliasIDs {
		out.AliasIDs[i] = operation.IDText(id)
	}
	return out
}
