package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// exception is a failure as a ClickHouse server tells it: a code that clients
// know, and a text that begins with it.
type exception struct {
	code    int
	message string
}

func (e *exception) Error() string { return e.message }

// The codes of ClickHouse that the endpoint gives of its own accord.
const (
	codeCannotReadData  = 33
	codeBadArguments    = 36
	codeSyntaxError     = 62
	codeFormatUnknown   = 73
	codeUnknownDatabase = 81
	codeUnknownSetting  = 115
	codeTimeout         = 159
	codeReadonly        = 164
	codeTooManyQueries  = 202
	codeTooLarge        = 223
	codeCancelled       = 394
	codeResultTooLarge  = 396
	codeAccessDenied    = 497
	codeAuthentication  = 516
	codeUnknownReason   = 1002
)

// codeNames are the names that a server puts behind its messages.
var codeNames = map[int]string{
	codeCannotReadData: "CANNOT_READ_ALL_DATA",
	codeBadArguments:   "BAD_ARGUMENTS",
	codeSyntaxError:    "SYNTAX_ERROR",
	codeFormatUnknown:  "UNKNOWN_FORMAT",
	codeUnknownSetting: "UNKNOWN_SETTING",
	codeTimeout:        "TIMEOUT_EXCEEDED",
	codeReadonly:       "READONLY",
	codeTooManyQueries: "TOO_MANY_SIMULTANEOUS_QUERIES",
	codeTooLarge:       "QUERY_IS_TOO_LARGE",
	codeCancelled:      "QUERY_WAS_CANCELLED",
	codeResultTooLarge: "TOO_MANY_ROWS_OR_BYTES",
	codeAccessDenied:   "ACCESS_DENIED",
	codeAuthentication: "AUTHENTICATION_FAILED",
	codeUnknownReason:  "UNKNOWN_EXCEPTION",
}

func newException(code int, format string, arguments ...any) *exception {
	return &exception{code: code, message: fmt.Sprintf("Code: %d. DB::Exception: %s. (%s)", code, fmt.Sprintf(format, arguments...), codeNames[code])}
}

var codePattern = regexp.MustCompile(`^Code: (\d+)\.`)

// asException turns any failure into what the client is told.
func asException(err error) *exception {
	var known *exception
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.DeadlineExceeded):
		return newException(codeTimeout, "The request took longer than it may")
	case errors.Is(err, context.Canceled):
		return newException(codeCancelled, "The request was cancelled")
	}
	message := err.Error()
	if match := codePattern.FindStringSubmatch(message); match != nil {
		if code, err := strconv.Atoi(match[1]); err == nil {
			return &exception{code: code, message: message}
		}
	}
	return newException(codeUnknownReason, "%s", message)
}

// text is the message with the engine's version, which clients look for.
func (e *exception) text(version string) string {
	if strings.Contains(e.message, "(version ") {
		return e.message
	}
	return e.message + " (version " + version + ")"
}

// status is the HTTP status that goes with the code, as a ClickHouse server
// chooses it, with two differences: what may not be done is 403 and a full
// queue 503.
func (e *exception) status() int {
	switch e.code {
	case codeAuthentication, codeReadonly, codeAccessDenied, 192, 193: // UNKNOWN_USER, WRONG_PASSWORD
		return http.StatusForbidden
	case codeTooManyQueries, 439: // CANNOT_SCHEDULE_TASK
		return http.StatusServiceUnavailable
	case codeTooLarge:
		return http.StatusRequestEntityTooLarge
	case codeTimeout:
		return http.StatusRequestTimeout
	case 46, 47, 50, 56, 60, codeFormatUnknown, codeUnknownDatabase, codeUnknownSetting: // unknown function, identifier, type, storage, table
		return http.StatusNotFound
	case codeBadArguments, codeSyntaxError, codeCannotReadData,
		6, 25, 26, 27, 38, 41, 53, 57, 63, 70, 72, 117, 131, 427, 456: // what can't be parsed or doesn't fit
		return http.StatusBadRequest
	case 48: // NOT_IMPLEMENTED
		return http.StatusNotImplemented
	default:
		return http.StatusInternalServerError
	}
}
