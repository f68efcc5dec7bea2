package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"cuota/internal/httpapi"
)

// ask reads the reply of an operation of the API into a T, which has the fields of the reply
// that the page shows. pairs are names and values of parameters; empty values are left out.
func ask[T any](ctx context.Context, v *visit, path string, pairs ...string) (T, error) {
	texts := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			texts.Add(pairs[i], pairs[i+1])
		}
	}
	return askTexts[T](ctx, v, path, texts)
}

func askTexts[T any](ctx context.Context, v *visit, path string, texts url.Values) (T, error) {
	var reply T
	body, err := v.Batch.Ask(ctx, path, texts)
	if err != nil {
		return reply, err
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return reply, fmt.Errorf("read the reply of %s: %w", path, err)
	}
	return reply, nil
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
