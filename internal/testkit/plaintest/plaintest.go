// Package plaintest finds words of the program in texts for its clients.
package plaintest

import "regexp"

// ofTheProgram are names of types and packages, and beginnings of messages that name them.
var ofTheProgram = regexp.MustCompile(`(^|[^/])\bjson: |strconv\.|cannot unmarshal|Go (value|struct|type)|` +
	`runtime error|goroutine|\.go:\d|\bu?int(8|16|32|64)\b|\bfloat64\b|\binterface \{|\bmap\[|cuota/[a-z]|` +
	`\b(query|model|httpapi|backtest|account|web|sql|uuid|decimal|time|http|url|big|reflect)\.[A-Z]\w*`)

// Find returns the first word of the program in a text, and "" if there is none.
func Find(text string) string { return ofTheProgram.FindString(text) }
