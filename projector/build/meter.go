package build

import "errors"

// Meter measures how batches are built.
type Meter interface {
	// Built measures an attempt to build a batch. Its result is published, refused (by the
	// checks), superseded (by another projector) or failed.
	Built(result string, seconds float64)
	// Projected measures one projection of a batch by its name, or all checks under the
	// name checks.
	Projected(part string, seconds float64)
}

// resultOf returns the result of an attempt to build a batch.
func resultOf(err error) string {
	switch {
	case err == nil:
		return "published"
	case errors.As(err, new(ViolationError)):
		return "refused"
	case errors.As(err, new(SupersededError)):
		return "superseded"
	}
	return "failed"
}
