package sql

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// inFull returns the text of a file in which the short forms are written out, so that what several files
// need stands in one place only:
//
//	parts.name             the text of parts/name.sql, without the comment at its head
//	parts.name(side: end)  the same, with end in place of SIDE; several are separated by semicolons
//	{window}               the line is repeated for each return window, with its name in this place, and with its
//	                       number, from 1, in place of {place}. If a comma is missing at the end, as after the last
//	                       column, then only the last line has none.
//	{window but 1m}        the same without one window, of which a line of its own says more
//	queries.name           in the folder queries: the statement queries/name.sql in brackets, as in FROM queries.market.
//	                       So statements that return the same rows in other units have the rule in one place only.
//
// A part may use other parts. A statement that is read by another one may not read a third one. It
// panics if there is no such file, because the statements are part of the program.
func inFull(folder, text string) string {
	for partName.MatchString(text) {
		text = partName.ReplaceAllStringFunc(text, part)
	}
	text = ofWindows.ReplaceAllStringFunc(text, eachWindow)
	if folder != "queries" {
		return text
	}
	return statementName.ReplaceAllStringFunc(text, func(found string) string {
		return "(\n" + inFull("", written("queries/"+strings.TrimPrefix(found, "queries."))) + ")"
	})
}

var (
	partName      = regexp.MustCompile(`\bparts\.([a-z0-9_]+)(?:\(([a-z]+: [^()]*)\))?`)
	statementName = regexp.MustCompile(`\bqueries\.([a-z0-9_]+)`)
	ofWindows     = regexp.MustCompile(`(?m)^.*\{window( but [a-z0-9_]+)?\}.*$`)
	windowName    = regexp.MustCompile(`\{window( but ([a-z0-9_]+))?\}`)
)

// part returns the text of the part that is named as in parts.name(side: end).
func part(named string) string {
	found := partName.FindStringSubmatch(named)
	text := written("parts/" + found[1])
	for strings.HasPrefix(text, "--") {
		_, text, _ = strings.Cut(text, "\n")
	}
	if found[2] != "" {
		for given := range strings.SplitSeq(found[2], "; ") {
			word, value, _ := strings.Cut(given, ": ")
			text = strings.ReplaceAll(text, strings.ToUpper(word), value)
		}
	}
	return strings.TrimSuffix(text, "\n")
}

// eachWindow repeats a line for each window that it names.
func eachWindow(line string) string {
	without := windowName.FindStringSubmatch(line)[2]
	var lines []string
	for i, window := range windows() {
		if window != without {
			lines = append(lines, strings.NewReplacer("{place}", strconv.Itoa(i+1)).Replace(
				windowName.ReplaceAllString(line, window)))
		}
	}
	if strings.HasSuffix(line, ",") {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines, ",\n")
}

var windows = sync.OnceValue(func() []string { return strings.Split(part("parts.windows"), ", ") })

// written returns the text of a file by its path without the ending.
func written(name string) string {
	content, err := files.ReadFile(name + ".sql")
	if err != nil {
		panic("sql: no " + name)
	}
	return string(content)
}
