package query

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cuota/model"

	"github.com/google/uuid"
	"github.com/julienschmidt/httprouter"
)

// param declares a parameter of an operation.
type param struct {
	name     string
	in       string // path or query
	required bool
	fallback any // value if the parameter is absent; nil for none

	// emptyIsAbsent means that an empty value is the same as an absent parameter. If it is
	// false, an empty value is checked like any other.
	emptyIsAbsent bool

	// read gives the value of a text, or a violation with message and type.
	read func(text string) (any, *violation)

	// readAll is used instead of read if the parameter may be given several times.
	readAll func(texts []string) (any, *violation)
}

// The size of a request's head limits repeated parameters and the number of unknown ones.
// These constants limit how much of them a reply repeats.
const (
	maxEchoRunes    = 200
	maxIgnoredNames = 20
	maxIgnoredName  = 64
)

// words declares a parameter whose value is one of several words, written exactly so. The
// first is the default.
func words(name string, choices ...string) param {
	return param{name: name, in: "query", fallback: choices[0], read: func(text string) (any, *violation) {
		if !slices.Contains(choices, text) {
			return nil, &violation{Type: "literal_error", Msg: "Must be one of: " + strings.Join(choices, ", ")}
		}
		return text, nil
	}}
}

// choice is words without a default.
func choice(name string, choices ...string) param {
	p := words(name, choices...)
	p.fallback = nil
	return p
}

// truth declares a parameter that is true, false or absent.
func truth(name string) param {
	return param{name: name, in: "query", read: func(text string) (any, *violation) {
		switch text {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return nil, &violation{Type: "bool_parsing", Msg: "Must be true or false"}
	}}
}

// texts is the value of a repeated parameter.
type texts []string

// String quotes each text, so that lists which differ only in where a text ends give
// different validators.
func (t texts) String() string { return fmt.Sprintf("%q", []string(t)) }

// repeated declares a parameter that must be given once for each value, at most most times.
// Each value is read as of declares. A value that is given twice counts once.
func repeated(of param, most int) param {
	of.required = true
	of.readAll = func(given []string) (any, *violation) {
		if len(given) > most {
			return nil, &violation{Type: "too_long", Msg: fmt.Sprintf("Must be given at most %d times", most)}
		}
		var all texts
		for _, text := range given {
			if _, wrong := of.read(text); wrong != nil {
				wrong.Input = echo(text)
				return nil, wrong
			}
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
		return all, nil
	}
	return of
}

// inPath makes a parameter a part of the path.
func inPath(p param) param {
	p.in, p.required = "path", true
	return p
}

// filter declares free text of at most maxRunes characters. Empty text does not filter.
func filter(name string, maxRunes int) param {
	p := exact(name, maxRunes)
	p.emptyIsAbsent = true
	return p
}

// exact declares free text of 1 to maxRunes characters.
func exact(name string, maxRunes int) param {
	return param{name: name, in: "query", read: func(text string) (any, *violation) {
		switch n := utf8.RuneCountInString(text); {
		case !utf8.ValidString(text):
			return nil, &violation{Type: "string_unicode", Msg: "Must be UTF-8 text, percent-encoded"}
		case n == 0:
			return nil, &violation{Type: "string_too_short", Msg: "Must have at least 1 character"}
		case n > maxRunes:
			return nil, &violation{Type: "string_too_long", Msg: fmt.Sprintf("Must have at most %d characters", maxRunes)}
		}
		return text, nil
	}}
}

// integer declares a decimal whole number from least to most. fallback is an int64, or nil
// for none.
func integer(name string, least, most int64, fallback any) param {
	return param{name: name, in: "query", fallback: fallback, read: func(text string) (any, *violation) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, &violation{Type: "int_parsing", Msg: fmt.Sprintf("Must be a whole number from %d to %d", least, most)}
		}
		switch {
		case n < least:
			return nil, &violation{Type: "greater_than_equal", Msg: fmt.Sprintf("Must be at least %d", least)}
		case n > most:
			return nil, &violation{Type: "less_than_equal", Msg: fmt.Sprintf("Must be at most %d", most)}
		}
		return n, nil
	}}
}

// day declares a calendar date in the form YYYY-MM-DD.
func day(name string) param {
	return param{name: name, in: "query", read: func(text string) (any, *violation) {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil || len(text) != len(time.DateOnly) || at.Year() < 1 {
			return nil, &violation{Type: "date_parsing", Msg: "Must be a calendar date in the form YYYY-MM-DD"}
		}
		return model.DateOf(at), nil
	}}
}

// month declares a calendar month in the form YYYY-MM. Its value is the first day of the
// month.
func month(name string) param {
	const form = "2006-01"
	return param{name: name, in: "query", read: func(text string) (any, *violation) {
		at, err := time.Parse(form, text)
		if err != nil || len(text) != len(form) || at.Year() < 1 {
			return nil, &violation{Type: "month_parsing", Msg: "Must be a calendar month in the form YYYY-MM"}
		}
		return model.DateOf(at), nil
	}}
}

// firstDayTo is a check: it refuses a to_date before the from_date.
func firstDayTo(v values) []violation {
	from, fromGiven := v.date("from_date")
	to, toGiven := v.date("to_date")
	if fromGiven && toGiven && from.Compare(to) > 0 {
		return []violation{{Loc: []string{"query", "from_date"}, Type: "value_error", Msg: "Must not be after to_date", Input: from.String()}}
	}
	return nil
}

// pathID declares the id of a manager or fund in the path.
func pathID(name string) param {
	return param{name: name, in: "path", required: true, read: func(text string) (any, *violation) {
		if id, isID := parseID(text); isID {
			return id, nil
		}
		return nil, &violation{Type: "int_parsing", Msg: "Must be a whole number from 0 to 4294967295"}
	}}
}

// assetID is the id of a series: a decimal number for a mutual fund, a UUID for an
// investment fund or ETF.
type assetID struct {
	series uint32
	uuid   uuid.NullUUID // not valid for a decimal id
}

func uuidAsset(id uuid.UUID) assetID { return assetID{uuid: uuid.NullUUID{UUID: id, Valid: true}} }

func (a assetID) isUUID() bool { return a.uuid.Valid }

// String gives the id as replies show it.
func (a assetID) String() string {
	if a.isUUID() {
		return a.uuid.UUID.String()
	}
	return idText(a.series)
}

// pathAsset declares asset_id in the path.
func pathAsset() param {
	return param{name: "asset_id", in: "path", required: true, read: func(text string) (any, *violation) {
		id, wrong := readAsset(text)
		if wrong != nil {
			return nil, wrong
		}
		return id, nil
	}}
}

func readAsset(text string) (assetID, *violation) {
	if id, isID := parseID(text); isID {
		return assetID{series: id}, nil
	}
	if id, isUUID := parseUUID(text); isUUID {
		return uuidAsset(id), nil
	}
	return assetID{}, &violation{Type: "asset_id_parsing", Msg: "Must be a whole number from 0 to 4294967295, or a UUID"}
}

// pathInstrument declares instrument_id in the path.
func pathInstrument() param {
	return param{name: "instrument_id", in: "path", required: true, read: func(text string) (any, *violation) {
		if id, isUUID := parseUUID(text); isUUID {
			return id, nil
		}
		return nil, &violation{Type: "uuid_parsing", Msg: "Must be a UUID, as in ddf92f33-386c-55e2-9b10-9d87948dc8cf"}
	}}
}

// parseUUID reads the form of 36 characters, of either case.
func parseUUID(text string) (uuid.UUID, bool) {
	id, err := uuid.Parse(text)
	return id, err == nil && len(text) == 36
}

// parseID reads decimal digits up to 4294967295. Leading zeros do not matter (RULES 4).
func parseID(text string) (uint32, bool) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	id, err := strconv.ParseUint(text, 10, 32)
	return uint32(id), err == nil
}

// values holds the parameters of a request by name, each with the type that its declaration
// gives it. An absent parameter without a default has no entry.
type values map[string]any

func (v values) text(name string) string {
	text, _ := v[name].(string)
	return text
}

func (v values) integer(name string) int64 {
	n, _ := v[name].(int64)
	return n
}

func (v values) id(name string) uint32 {
	id, _ := v[name].(uint32)
	return id
}

func (v values) asset() assetID {
	asset, _ := v["asset_id"].(assetID)
	return asset
}

func (v values) instrument() uuid.UUID {
	id, _ := v["instrument_id"].(uuid.UUID)
	return id
}

func (v values) texts(name string) []string {
	all, _ := v[name].(texts)
	return all
}

func (v values) date(name string) (model.Date, bool) {
	date, given := v[name].(model.Date)
	return date, given
}

func (v values) has(name string) bool { return v[name] != nil }

// parse reads the declared parameters. It returns their values and the names of unknown
// query parameters, made safe for a header. It fails with invalid, which lists everything
// that is wrong with the request.
func (op *operation) parse(c *call, path httprouter.Params) (values, string, error) {
	given := c.given
	if c.malformed != nil {
		return nil, "", invalid{{Loc: []string{"query"}, Type: "query_parsing",
			Msg: "The query string is not well-formed: percent-encode %, & and ; in values"}}
	}
	parsed := values{}
	var wrong invalid
	for _, p := range op.params {
		texts := given[p.name]
		if p.in == "path" {
			texts = []string{unescaped(path.ByName(p.name))}
		}
		delete(given, p.name)
		value, problem := p.value(texts)
		switch {
		case problem != nil:
			problem.Loc = []string{p.in, p.name}
			if len(texts) > 0 && problem.Input == "" {
				problem.Input = echo(texts[0])
			}
			wrong = append(wrong, *problem)
		case value != nil:
			parsed[p.name] = value
		}
	}
	if wrong == nil && op.check != nil {
		wrong = op.check(parsed)
	}
	if len(wrong) > 0 {
		return nil, ignoredNames(given), wrong
	}
	return parsed, ignoredNames(given), nil
}

func (p param) value(texts []string) (any, *violation) {
	switch {
	case p.readAll != nil && len(texts) > 0:
		return p.readAll(texts)
	case len(texts) > 1:
		return nil, &violation{Type: "repeated", Msg: "Must be given only once"}
	case len(texts) == 1 && (texts[0] != "" || !p.emptyIsAbsent):
		return p.read(texts[0])
	case p.required:
		return nil, &violation{Type: "missing", Msg: "Field required"}
	}
	return p.fallback, nil
}

// echo gives a text for a reply: cut to maxEchoRunes, and valid UTF-8.
func echo(text string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if runes := []rune(text); len(runes) > maxEchoRunes {
		text = string(runes[:maxEchoRunes]) + "…"
	}
	return text
}

// ignoredNames lists names in alphabetical order. It percent-encodes them, so that no name
// can add to the header, and limits their length and number.
func ignoredNames(given url.Values) string {
	names := make([]string, 0, len(given))
	for name := range given {
		name = url.QueryEscape(name)
		names = append(names, name[:min(len(name), maxIgnoredName)])
	}
	slices.Sort(names)
	if more := len(names) - maxIgnoredNames; more > 0 {
		names = append(names[:maxIgnoredNames], "…")
		names[maxIgnoredNames] = fmt.Sprintf("and+%d+more", more)
	}
	return strings.Join(names, ", ")
}
