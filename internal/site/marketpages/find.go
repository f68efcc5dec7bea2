package marketpages

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"cuota/internal/httpapi"
	"cuota/query/operation"
)

// find returns what an operation finds, in the batch of the page. pairs are names and values of parameters;
// empty values are left out.
func find[P, R any](ctx context.Context, v *visit, of operation.Endpoint[P, R], pairs ...string) (R, error) {
	texts := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			texts.Add(pairs[i], pairs[i+1])
		}
	}
	return findTexts(ctx, v, of, texts)
}

// findKept is find for what is kept in memory with its JSON.
func findKept[P, R any](ctx context.Context, v *visit, of operation.Endpoint[P, operation.Kept[R]],
	pairs ...string) (R, error) {
	kept, err := find(ctx, v, of, pairs...)
	return kept.Found, err
}

func findTexts[P, R any](ctx context.Context, v *visit, of operation.Endpoint[P, R], texts url.Values) (R, error) {
	found, err := v.Batch.Ask(ctx, of.Path, texts)
	if err != nil {
		return *new(R), err
	}
	values, is := found.(R)
	if !is {
		return values, fmt.Errorf("%s finds a %T, want a %T", of.Path, found, values)
	}
	return values, nil
}

// amount returns an amount as a double, and nil for nil.
func amount(of *operation.Amount) *float64 {
	return operation.Mapped(of, func(a operation.Amount) float64 { return a.InexactFloat64() })
}

// whole returns a whole number as a double, and nil for nil.
func whole[N uint8 | uint32 | uint64](of *N) *float64 {
	return operation.Mapped(of, func(n N) float64 { return float64(n) })
}

// isUnknown reports whether an operation answered that there is no such thing.
func isUnknown(err error) bool {
	var p *httpapi.Problem
	return errors.As(err, &p) && p.Status == http.StatusNotFound
}

// violationsOf returns what an operation found wrong with the parameters.
func violationsOf(err error) []httpapi.Violation {
	var wrong httpapi.Invalid
	if errors.As(err, &wrong) {
		return wrong
	}
	return nil
}
