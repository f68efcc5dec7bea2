package query

import (
	"time"

	"cuota/model"
)

// renamed is what the tables say of the newest rename of a series: nothing, for
// most of them.
type renamed struct {
	PreviousSerie *string    `ch:"previous_serie"`
	CurrentSerie  *string    `ch:"current_serie"`
	FirstCurrent  *time.Time `ch:"first_current_date"`
	AliasIDs      []uint32   `ch:"alias_ids"` // that of the newest name first
}

// continuity tells that a series goes on under another name: one identity, found
// by every id that it ever had (RULES 1).
type continuity struct {
	Type          string      `json:"type"`
	PreviousSerie string      `json:"previousSerie"`
	CurrentSerie  string      `json:"currentSerie"`
	FirstCurrent  *model.Date `json:"firstCurrentDate"`
	AliasIDs      []string    `json:"aliasIds"` // current, previous, and those before
}

// continuity is nil for a series that was never renamed.
func (r renamed) continuity() *continuity {
	if len(r.AliasIDs) == 0 || r.PreviousSerie == nil || r.CurrentSerie == nil {
		return nil
	}
	out := &continuity{
		Type: "rename", PreviousSerie: *r.PreviousSerie, CurrentSerie: *r.CurrentSerie, FirstCurrent: dateOf(r.FirstCurrent),
		AliasIDs: make([]string, len(r.AliasIDs)),
	}
	for i, id := range r.AliasIDs {
		out.AliasIDs[i] = idText(id)
	}
	return out
}
