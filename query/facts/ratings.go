package facts

import (
	"time"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
)

// Spheres is the regulator's rating of a series within its family and investor
// class (RULES 3).
type Spheres struct {
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

// Rating is a rating as the tables store it.
type Rating struct {
	Value    *uint8     `ch:"spheres"`
	Reason   *string    `ch:"spheres_reason"`
	Date     *time.Time `ch:"spheres_date"`
	LoadedAt *time.Time `ch:"spheres_loaded_at"`
	SHA256   *string    `ch:"spheres_sha256"`
	Family   *string    `ch:"family_rar"`
	Class    *string    `ch:"class_dated"`
}

// SpheresOf returns a rating as replies show it.
func SpheresOf(r Rating, b *batch.Batch) Spheres {
	return Spheres{
		Value: r.Value, Status: Availability(r.Reason), Reason: r.Reason,
		Source: "CMF", Indicator: "ind_rar_pond", ScaleMin: 1, ScaleMax: 5,
		AsOfDate: operation.DateOf(r.Date), Family: r.Family, InvestorType: r.Class,
		BatchID: b.ID, LoadedAt: UTC(r.LoadedAt), SourceSHA256: r.SHA256,
	}
}

// WithoutCutoff returns the rating in a batch without a cutoff.
func WithoutCutoff(b *batch.Batch) Spheres {
	return SpheresOf(Rating{Reason: new("no_complete_cutoff")}, b)
}

// UTC returns the same instant in UTC; nil for nil.
func UTC(t *time.Time) *time.Time { return operation.Mapped(t, time.Time.UTC) }
