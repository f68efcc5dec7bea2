package query

import (
	"context"
	"time"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"
)

// spheres is the regulator's rating of a series within its family and investor
// class (RULES 3).
type spheres struct {
	Value              *uint8      `json:"value"` // 1 to 5, 5 best
	Status             string      `json:"status"`
	Reason             *string     `json:"reason"`
	Source             string      `json:"source"`
	Indicator          string      `json:"indicator"`
	ScaleMin           int         `json:"scale_min"`
	ScaleMax           int         `json:"scale_max"`
	AsOfDate           *model.Date `json:"as_of_date"`
	Family             *string     `json:"family"`
	InvestorType       *string     `json:"investor_type"`
	BatchID            string      `json:"batch_id"`
	LoadedAt           *time.Time  `json:"loaded_at"`
	SourceURL          *string     `json:"source_url"`
	SourceSHA256       *string     `json:"source_sha256"`
	MethodologyURL     *string     `json:"methodology_url"`
	MethodologySHA256  *string     `json:"methodology_sha256"`
	MethodologyVersion *string     `json:"methodology_version"`
}

// rating is a rating as the tables store it.
type rating struct {
	Value    *uint8     `ch:"spheres"`
	Reason   *string    `ch:"spheres_reason"`
	Date     *time.Time `ch:"spheres_date"`
	LoadedAt *time.Time `ch:"spheres_loaded_at"`
	SHA256   *string    `ch:"spheres_sha256"`
	Family   *string    `ch:"family_rar"`
	Class    *string    `ch:"class_dated"`
}

func spheresOf(r rating, b *batch.Batch) spheres {
	return spheres{
		Value: r.Value, Status: availability(r.Reason), Reason: r.Reason,
		Source: "CMF", Indicator: "ind_rar_pond", ScaleMin: 1, ScaleMax: 5,
		AsOfDate: operation.DateOf(r.Date), Family: r.Family, InvestorType: r.Class,
		BatchID: b.ID, LoadedAt: utc(r.LoadedAt), SourceSHA256: r.SHA256,
	}
}

// spheresAt returns the rating in force on a date, which is that of the newest file dated on
// or before it.
func spheresAt(ctx context.Context, p operation.Pinned, known series, at model.Date) (spheres, error) {
	if past, there := knownPast(p); there && !known.asked.IsUUID() {
		if line, there := past.lineAt(known.ID, at); there {
			return spheresOf(line.rating, p.Batch), nil
		}
	}
	found, err := operation.Rows[rating](ctx, p, "spheres", sql.Arg("run", known.RUN), sql.Arg("names", known.names.Names),
		sql.Arg("valid_from", known.names.ValidFrom), sql.Arg("valid_until", known.names.ValidUntil), sql.Arg("as_of", at.String()))
	if err != nil {
		return spheres{}, err
	}
	return spheresOf(found[0], p.Batch), nil // the statement always gives one row
}

// withoutCutoff returns the rating in a batch without a cutoff.
func withoutCutoff(b *batch.Batch) spheres {
	return spheresOf(rating{Reason: new("no_complete_cutoff")}, b)
}

// availability returns the status for a reason. Without a reason, the value is available.
func availability(reason *string) string {
	if reason == nil {
		return "available"
	}
	return "unavailable"
}

func utc(t *time.Time) *time.Time { return operation.Mapped(t, time.Time.UTC) }
