package model

import (
	"strconv"
	"strings"
)

// FindingKind says in what a file differs from the files before it.
type FindingKind string

// The kinds of findings. The names must never change: they are values in tables.
const (
	FindingEndsEarly     FindingKind = "ends_early"     // the last day is before the one that the name states
	FindingBeginsLate    FindingKind = "begins_late"    // the first day is after the one that the name states
	FindingOtherDays     FindingKind = "other_days"     // there are days outside those that the name states
	FindingRenamed       FindingKind = "column_renamed" // the header calls a column otherwise
	FindingFewerSeries   FindingKind = "fewer_series"
	FindingFewerRows     FindingKind = "fewer_rows"     // by day
	FindingNewWord       FindingKind = "new_word"       // in a column of few words
	FindingWordGone      FindingKind = "word_gone"      // a word that many rows had
	FindingManyValues    FindingKind = "many_values"    // in a column that had few words, as amounts where flags were
	FindingText          FindingKind = "text"           // in a column that had numbers only
	FindingNegative      FindingKind = "negative"       // numbers in a column that had none
	FindingEmptied       FindingKind = "emptied"        // every field is blank or 0
	FindingFilled        FindingKind = "filled"         // a column that was blank or 0 has values
	FindingMoreDecimals  FindingKind = "more_decimals"  // than any number before
	FindingFewerDecimals FindingKind = "fewer_decimals" // the numbers were rounded
	FindingDecimalMark   FindingKind = "decimal_mark"   // a point for a comma, or the opposite
	FindingUnknownValue  FindingKind = "unknown_value"  // in a column that no number depends on
	FindingMagnitude     FindingKind = "magnitude"      // numbers are a hundred times as large or small
	// most series are a thousand times or a thousandth of their last value
	FindingThousandfold FindingKind = "thousandfold"
)

// Finding is one way in which the shapes of a file differ from those of the files before
// it.
type Finding struct {
	Kind   FindingKind `json:"kind"`
	Column string      `json:"column,omitempty"` // empty: the file as a whole
	Before string      `json:"before"`           // a number, a day or words
	Now    string      `json:"now"`
	Line   uint32      `json:"line,omitempty"` // the first that shows it; 0: no single one
	// AtStake says that wrong figures might be computed from the column, so that the file
	// waits for a person.
	AtStake bool `json:"at_stake,omitempty"`
}

// FileState says what became of a file whose shapes were compared with those before it.
type FileState string

// The states of a file.
const (
	FileTaken       FileState = "taken"       // published
	FileQuarantined FileState = "quarantined" // not published until a person accepts it
	FileAccepted    FileState = "accepted"    // published because a person accepted it
	FileDeclined    FileState = "declined"    // never published, because a person refused it
)

// Judgement says how the shapes of a file compare with those of the files before it, and
// what became of the file. A newer judgement of the same file replaces it.
type Judgement struct {
	SHA256   string    `json:"sha256"`
	Dataset  Dataset   `json:"dataset"`
	File     string    `json:"file"`
	Revision int64     `json:"revision"`
	State    FileState `json:"state"`
	Judged   int64     `json:"judged"` // when the state began; Unix milliseconds
	// Compared is the hash of the newest file that it was compared with; empty: none.
	Compared string    `json:"compared,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
}

// String describes the finding in one sentence.
func (f Finding) String() string {
	text := findingTexts[f.Kind]
	if text == "" {
		text = string(f.Kind)
	}
	text = strings.NewReplacer("{before}", f.Before, "{now}", f.Now).Replace(text)
	if f.Column != "" {
		text = "column " + f.Column + ": " + text
	}
	if f.Line > 0 {
		text += ", first on line " + strconv.FormatUint(uint64(f.Line), 10)
	}
	return text
}

// findingTexts describe each kind of finding.
var findingTexts = map[FindingKind]string{
	FindingEndsEarly:     "the name of the file says that it goes to {before}, and its last day is {now}",
	FindingBeginsLate:    "the name of the file says that it begins on {before}, and its first day is {now}",
	FindingOtherDays:     "the name of the file says {before}, and its days are {now}",
	FindingRenamed:       "the header calls it {now}",
	FindingFewerSeries:   "{now} series, {before} in the file before",
	FindingFewerRows:     "{now} rows a day, {before} in the file before",
	FindingNewWord:       "new: {now}; known: {before}",
	FindingWordGone:      "{before} does not occur any more; it has {now}",
	FindingManyValues:    "many values, such as {now}; it only had {before}",
	FindingText:          "{now} fields that are not numbers; there were none",
	FindingNegative:      "{now} negative numbers; there were none",
	FindingEmptied:       "every field is blank or 0; {before} had a value",
	FindingFilled:        "{now} of the fields have a value; {before} had one",
	FindingMoreDecimals:  "up to {now} decimals; there were at most {before}",
	FindingFewerDecimals: "{now} decimals; {before} were usual",
	FindingDecimalMark:   "decimals follow {now}; they followed {before}",
	FindingUnknownValue:  "{now}, which is unknown; no number depends on it",
	FindingMagnitude:     "{now} digits on average; there were {before}",
	FindingThousandfold: "most series are about a thousand times or a thousandth of their last value, as {now}; it " +
		"was {before}",
}
