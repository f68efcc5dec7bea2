// Package docs_test holds docs/rules.md against the repository: what the code cites,
// the page has, and what the page names exists.
package docs_test

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// A citation may go on in the next line of a comment: its mark is no part of it.
	commentMark = regexp.MustCompile(`(?m)^[ \t]*(//|--|#+|\*|>)`)

	// Whatever speaks of a document of rules. Each must be one of the citations below.
	mention = regexp.MustCompile(
		`\bRULES\b|\bSPEC(?:\s+Part\s+[0-9])?\b|\b[Ii]nterface\s+contract\b|\bcontract\.md\b|\bPart\s+[0-9]`)

	rulesCitation    = regexp.MustCompile(`^RULES\s+([0-9]+(?:(?:,\s+and|,|\s+and)\s+[0-9]+)*)`)
	specCitation     = regexp.MustCompile(`^SPEC,\s+([A-Z][a-z]+)`)
	contractCitation = regexp.MustCompile(`^[Ii]nterface\s+contract,\s+section\s+([0-9]+)`)

	number = regexp.MustCompile(`[0-9]+`)
)

// citations returns what a file cites, as the page's headings name it, and where it
// speaks of a document of rules in other words.
func citations(s source) (cited, unclear []string) {
	text := commentMark.ReplaceAllStringFunc(s.text, func(mark string) string { return strings.Repeat(" ", len(mark)) })
	for _, at := range mention.FindAllStringIndex(text, -1) {
		rest := text[at[0]:]
		if found := rulesCitation.FindStringSubmatch(rest); found != nil {
			for _, n := range number.FindAllString(found[1], -1) {
				cited = append(cited, "RULES "+n)
			}
		} else if found := specCitation.FindStringSubmatch(rest); found != nil {
			cited = append(cited, "SPEC, "+found[1])
		} else if found := contractCitation.FindStringSubmatch(rest); found != nil {
			cited = append(cited, "Interface contract, section "+found[1])
		} else {
			unclear = append(unclear,
				fmt.Sprintf("%s:%d: %q is none of the forms RULES 7, SPEC, Limits and interface contract, section 1",
					s.path, 1+strings.Count(text[:at[0]], "\n"),
					strings.Join(strings.Fields(rest[:min(len(rest), 40)]), " ")))
		}
	}
	return cited, unclear
}

var heading = regexp.MustCompile(`(?m)^## (RULES [0-9]+|SPEC, [A-Z][a-z]+|Interface contract, section [0-9]+)(: .+)?$`)

// ruleSections returns what stands under each heading that can be cited.
func ruleSections(text string) map[string]string {
	sections := map[string]string{}
	for _, at := range heading.FindAllStringSubmatchIndex(text, -1) {
		section := text[at[1]:]
		if end := strings.Index(section, "\n## "); end >= 0 {
			section = section[:end]
		}
		sections[text[at[2]:at[3]]] += section
	}
	return sections
}

// checkCitations tells of citations that the page has no heading for.
func checkCitations(sources []source, sections map[string]string) []string {
	var problems []string
	for _, s := range sources {
		cited, unclear := citations(s)
		problems = append(problems, unclear...)
		for _, name := range cited {
			if _, has := sections[name]; !has {
				problems = append(problems, fmt.Sprintf("%s cites %s, which %s has not", s.path, name, page))
			}
		}
	}
	return problems
}

// checkHeadings tells of headings that nothing cites.
func checkHeadings(sources []source, sections map[string]string) []string {
	uncited := maps.Clone(sections)
	for _, s := range sources {
		cited, _ := citations(s)
		for _, name := range cited {
			delete(uncited, name)
		}
	}
	var problems []string
	for _, name := range slices.Sorted(maps.Keys(uncited)) {
		problems = append(problems, fmt.Sprintf("nothing cites %s", name))
	}
	return problems
}

// isStatement reports whether a file holds statements that compute, other than the
// schema, whose comments only say which rule fills a column.
func isStatement(name string) bool {
	return strings.HasPrefix(name, "sql/") && path.Ext(name) == ".sql" && !strings.HasPrefix(name, "sql/tables/")
}

// checkStatements tells of statements that cite a rule under which they are not named.
// Views of the current batch alone are named nowhere: they compute nothing.
func checkStatements(sources []source, sections map[string]string) []string {
	var problems []string
	for _, s := range sources {
		if !isStatement(s.path) || isCurrent(s.path) {
			continue
		}
		cited, _ := citations(s)
		slices.Sort(cited)
		for _, name := range slices.Compact(cited) {
			if !strings.Contains(sections[name], "`"+s.path+"`") {
				problems = append(problems, fmt.Sprintf("%s cites %s, but %s does not name it there", s.path, name,
					page))
			}
		}
	}
	return problems
}

// isCurrent reports whether a file is the view of the current batch or of a table of it.
func isCurrent(name string) bool { return strings.HasPrefix(name, "sql/views/9") }

func TestEveryCitationOfARuleHasItsHeading(t *testing.T) {
	for _, problem := range checkCitations(readSources(t), ruleSections(readPage(t))) {
		t.Error(problem)
	}
}

func TestEveryRuleOfThePageIsCited(t *testing.T) {
	sections := ruleSections(readPage(t))
	if len(sections) == 0 {
		t.Fatalf("%s has no rule", page)
	}
	for _, problem := range checkHeadings(readSources(t), sections) {
		t.Error(problem)
	}
}

func TestAStatementThatCitesARuleIsNamedUnderIt(t *testing.T) {
	for _, problem := range checkStatements(readSources(t), ruleSections(readPage(t))) {
		t.Error(problem)
	}
}

func TestEveryFunctionViewProjectionAndCheckIsOnThePage(t *testing.T) {
	text := readPage(t)
	for _, s := range readSources(t) {
		folder := path.Dir(s.path)
		if !slices.Contains([]string{"sql/functions", "sql/views", "sql/projections", "sql/checks"}, folder) ||
			isCurrent(s.path) {
			continue
		}
		if !strings.Contains(text, "`"+s.path+"`") {
			t.Errorf("%s is not on %s", s.path, page)
		}
	}
}

var (
	namedFile = regexp.MustCompile("`([a-z][a-zA-Z0-9_./-]*/[a-zA-Z0-9_.-]+\\.(?:sql|go|json|md))`")
	namedTest = regexp.MustCompile("`([a-z][a-z/]*)\\.(Test[A-Za-z0-9]+)`")
)

// checkNames tells of files and tests that a text names and that are not there.
func checkNames(text string, sources []source, exists func(name string) bool) []string {
	tests := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(t \*testing\.T\)`)
	for _, s := range sources {
		if strings.HasSuffix(s.path, "_test.go") {
			for _, found := range function.FindAllStringSubmatch(s.text, -1) {
				tests[path.Dir(s.path)+"."+found[1]] = true
			}
		}
	}
	var problems []string
	for _, found := range namedFile.FindAllStringSubmatch(text, -1) {
		if !exists(found[1]) {
			problems = append(problems, "there is no file "+found[1])
		}
	}
	for _, found := range namedTest.FindAllStringSubmatch(text, -1) {
		if !tests[found[1]+"."+found[2]] {
			problems = append(problems, "package "+found[1]+" has no test "+found[2])
		}
	}
	return problems
}

func TestEveryFileAndTestOnThePageExists(t *testing.T) {
	for _, problem := range checkNames(readPage(t), readSources(t), isThere) {
		t.Errorf("%s: %s", page, problem)
	}
}

// Each rule is one part of the page under a heading of the third level.
var part = regexp.MustCompile(`(?m)^### (.+)$`)

// rule is one part of the page.
type rule struct{ title, text string }

// rulesOf returns the rules of the page, in their order.
func rulesOf(text string) (rules []rule) {
	for _, at := range part.FindAllStringSubmatchIndex(text, -1) {
		rest := text[at[1]:]
		if end := regexp.MustCompile(`(?m)^##`).FindStringIndex(rest); end != nil {
			rest = rest[:end[0]]
		}
		rules = append(rules, rule{text[at[2]:at[3]], rest})
	}
	return rules
}

// checkParts tells of rules without a source, code or a test.
func checkParts(text string) []string {
	var problems []string
	rules := rulesOf(text)
	for _, of := range rules {
		if !regexp.MustCompile(`(?m)^- Source: \S`).MatchString(of.text) {
			problems = append(problems, of.title+" has no line that begins with - Source:")
		}
		if !regexp.MustCompile("(?m)^- (SQL|Code): .*`").MatchString(of.text) {
			problems = append(problems, of.title+" has no line that begins with - SQL: or - Code: and names a file")
		}
		if !namedTest.MatchString(of.text) {
			problems = append(problems, of.title+" names no test")
		}
	}
	if len(rules) == 0 {
		problems = append(problems, "there is no rule")
	}
	return problems
}

func TestEveryRuleHasItsSourceItsCodeAndATest(t *testing.T) {
	for _, problem := range checkParts(readPage(t)) {
		t.Errorf("%s: %s", page, problem)
	}
}

var (
	sqlLine = regexp.MustCompile(`(?m)^- SQL: (.+)$`)

	// A file with the part of the rule that it defines.
	fileOfPart = regexp.MustCompile(namedFile.String() + " \\([^()`]+\\)")
)

// checkDefinitions tells of rules whose line of SQL names several files and does not say which of them defines the
// rule. What stands before the first semicolon defines it: one file, or several, each with its part in parentheses.
func checkDefinitions(text string) []string {
	var problems []string
	for _, of := range rulesOf(text) {
		for _, line := range sqlLine.FindAllStringSubmatch(of.text, -1) {
			if len(namedFile.FindAllString(line[1], -1)) < 2 {
				continue
			}
			defining, _, _ := strings.Cut(line[1], ";")
			files := len(namedFile.FindAllString(defining, -1))
			if files != 1 && (files == 0 || files != len(fileOfPart.FindAllString(defining, -1))) {
				problems = append(problems, of.title+": write the file that defines the rule first, and the others "+
					"after a semicolon, or write in parentheses which part of the rule each of several files defines")
			}
		}
	}
	return problems
}

func TestEveryRuleSaysWhichStatementDefinesIt(t *testing.T) {
	for _, problem := range checkDefinitions(readPage(t)) {
		t.Errorf("%s: %s", page, problem)
	}
}

// The checks above find nothing in a sound repository. Here each is given something
// that is wrong.
func TestWhatIsWrongWithACitationOrThePageIsFound(t *testing.T) {
	sections := ruleSections(
		"# Rules\n\n## RULES 1: One\n\n- SQL: `sql/views/10_a.sql`\n\n## RULES 2: Two\n\n## SPEC, Limits\n\n## " +
			"Interface contract, section 1: HTTP\n")
	sound := source{"sql/views/10_a.sql",
		"-- The rules (RULES\n-- 1, RULES 2; SPEC, Limits; the interface\n-- contract, section 1).\n-- " +
			"LANDLOCK_RULESET\n"}
	for name, problems := range map[string][]string{
		"an unknown rule":           checkCitations([]source{{"a.go", "// (RULES 3)"}}, sections),
		"an unknown rule in a list": checkCitations([]source{{"a.go", "// (RULES 1, 2 and\n// 3)"}}, sections),
		"an unknown part of SPEC":   checkCitations([]source{{"a.sql", "-- (SPEC, Errors)"}}, sections),
		"an unknown section": checkCitations([]source{{"a.md", "the interface contract, section 4"}},
			sections),
		"a citation of no rule":       checkCitations([]source{{"a.go", "// as RULES say"}}, sections),
		"a citation of a file":        checkCitations([]source{{"a.go", "// RULES.md, 1"}}, sections),
		"a numbered part":             checkCitations([]source{{"a.go", "// SPEC Part 3"}}, sections),
		"the contract without a part": checkCitations([]source{{"a.go", "// (the interface contract)"}}, sections),
		"a rule that nothing cites": checkHeadings(
			[]source{{"a.go", "// (RULES 1; SPEC, Limits; interface contract, section 1)"}}, sections),
		"a statement not named":       checkStatements([]source{{"sql/views/11_b.sql", "-- (RULES 1)"}}, sections),
		"a statement named elsewhere": checkStatements([]source{{"sql/views/10_a.sql", "-- (RULES 2)"}}, sections),
		"a file that is not there":    checkNames("`sql/views/12_c.sql`", nil, func(string) bool { return false }),
		"a test that is not there": checkNames("`query.TestA`",
			[]source{{"query/a_test.go", "func TestAB(t *testing.T) {"}}, isThere),
		"a test of another package": checkNames("`query.TestA`",
			[]source{{"sql/a_test.go", "func TestA(t *testing.T) {"}}, isThere),
		"a rule without its source": checkParts("### One\n\n- SQL: `sql/a.sql`\n- Tests: `query.TestA`\n"),
		"a rule without its code":   checkParts("### One\n\n- Source: RULES 1\n- Tests: `query.TestA`\n"),
		"a rule without a test": checkParts(
			"### One\n\n- Source: RULES 1\n- SQL: `sql/a.sql`\n\n### Two\n\n- Source: RULES 1\n- SQL: `sql/a.sql`\n- " +
				"Tests: `query.TestA`\n"),
		"files without the one that defines": checkDefinitions("### One\n\n- SQL: `sql/a.sql`, `sql/b.sql`\n"),
		"a defining file without its part": checkDefinitions(
			"### One\n\n- SQL: `sql/a.sql` (quotas), `sql/b.sql`; used by `sql/c.sql`\n"),
		"parts after the semicolon": checkDefinitions(
			"### One\n\n- SQL: `sql/a.sql`, `sql/b.sql`; used by `sql/c.sql` (quotas), `sql/d.sql` (book values)\n"),
		"no file before the semicolon": checkDefinitions("### One\n\n- SQL: none; `sql/a.sql`, `sql/b.sql`\n"),
		"a decision by a wrong name": checkDecisions(source{"a.go", "// docs/decisions/0001-two.md"},
			[]string{"0001-one.md"}, isThere),
		"a decision by a number": checkDecisions(source{"a.go", "// (docs/decisions/0002)"},
			[]string{"0001-one.md"}, isThere),
		"a link to no page": checkDecisions(source{"docs/a.md", "[b](b.md#c)"}, nil, func(string) bool {
			return false
		}),
	} {
		if len(problems) != 1 {
			t.Errorf("%s: %d problems: %v", name, len(problems), problems)
		}
	}
	for _, problems := range [][]string{
		checkCitations([]source{sound}, sections),
		checkHeadings([]source{sound}, sections),
		checkStatements([]source{{sound.path, "-- (RULES 1)"}}, sections),
		checkNames("`query.TestA`", []source{{"query/a_test.go", "func TestA(t *testing.T) {"}}, isThere),
		checkParts("### One\n\n- Source: RULES 1\n- SQL: `sql/a.sql`\n- Tests: `query.TestA`\n"),
		checkDefinitions("### One\n\n- SQL: `sql/a.sql`\n\n### Two\n\n- Code: `query/a.go`, `query/b.go`\n"),
		checkDefinitions("### One\n\n- SQL: `sql/a.sql`; used by `sql/b.sql`, `sql/c.sql`\n"),
		checkDefinitions(
			"### One\n\n- SQL: `sql/a.sql` (quotas), `sql/b.sql` (book values); stated again in `sql/c.sql`\n"),
		checkDecisions(source{"docs/a.md", "docs/decisions/0001, [one](decisions/0001-one.md)"},
			[]string{"0001-one.md"}, func(string) bool {
				return true
			}),
	} {
		if len(problems) > 0 {
			t.Errorf("found in what is sound: %v", problems)
		}
	}
}
