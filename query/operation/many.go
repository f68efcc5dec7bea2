package operation

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"cuota/internal/httpapi"
	"cuota/model"
)

// answersOfRequest is how many answers count as one request.
const answersOfRequest = 10

// CostOf returns how many requests a request for so many answers counts as: one for each ten, or part of ten.
func CostOf(answers int) int64 { return int64(max(1, (answers+answersOfRequest-1)/answersOfRequest)) }

// ManyMeta is the meta of a reply with many answers.
type ManyMeta struct {
	BatchID         string      `json:"batch_id"`
	AsOf            *model.Date `json:"as_of_date"` // the cutoff of the batch
	Answers         int         `json:"answers"`
	CountedRequests int64       `json:"counted_requests"` // towards the quota of the key
}

// MaxViolations is how many wrong parts of a body are listed.
const MaxViolations = 100

// WrongBody refuses the body of a request, or the part of it that loc names.
func WrongBody(kind, msg string, loc ...string) httpapi.Invalid {
	return httpapi.Invalid{{Loc: append([]string{"body"}, loc...), Type: kind, Msg: msg}}
}

// CheckJSON refuses a request whose body is not said to be JSON.
func CheckJSON(r *http.Request) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return httpapi.Invalid{{Loc: []string{"header", "Content-Type"}, Type: "value_error",
			Msg: "Must be application/json: the body is a JSON object"}}
	}
	return nil
}

// ReadBody reads the JSON object in the body of a request, and refuses members that the struct does not have. Its
// errors become the replies 413 and 422.
func ReadBody(r *http.Request, into any) error {
	if err := CheckJSON(r); err != nil {
		return err
	}
	text, err := httpapi.BodyOf(r)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		var wrong *json.UnmarshalTypeError
		switch {
		case errors.As(err, &wrong) && wrong.Field != "":
			return WrongBody("value_error", "Must not be a JSON "+wrong.Value, strings.Split(wrong.Field, ".")...)
		case wrong != nil:
			return WrongBody("value_error", "Must be a JSON object, not a JSON "+wrong.Value)
		}
		return WrongBody("value_error", "Is not valid JSON: "+httpapi.Echo(strings.TrimPrefix(err.Error(), "json: ")))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return WrongBody("value_error", "Must end after the JSON object")
	}
	return nil
}
