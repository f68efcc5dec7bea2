package sqltext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Views maps the name of a view to its SELECT, in which other views are in place already.
//
// ClickHouse analyses the statement of a view each time that the view is read, and twice if
// the view has parameters. If views read views, the work doubles with each level, and took
// most of the time of a small batch (docs/decisions/0031-views-in-place.md). Our own
// statements are therefore sent with the text of the views in place of their names.
type Views map[string]string

// Add adds the view that a statement creates. It skips a view that states the types of its
// columns, because a SELECT alone would lose them. The views that it reads must have been
// added before.
func (known Views) Add(create string) error {
	tokens, err := tokenize(create)
	if err != nil {
		return err
	}
	s := statement(tokens)
	if !s.begins("CREATE", "OR", "REPLACE", "VIEW") || len(s) < 7 {
		return errors.New("write CREATE OR REPLACE VIEW name AS")
	}
	if !s[5].is("AS") {
		return nil
	}
	end := s[len(s)-1].end
	if s[len(s)-1].text == ";" {
		end = s[len(s)-1].start
	}
	body, err := known.InPlace(create[s[6].start:end])
	known[s[4].text] = body
	return err
}

// InPlace returns a statement in which the SELECT of each view, in brackets, stands in place of its name
// after FROM or JOIN, with the arguments of the call in place of the view's parameters. A call of which
// an argument is a query stays. It fails if the call of a view does not fit it, or if a name would
// mean something else inside the view.
func (known Views) InPlace(text string) (string, error) {
	tokens, err := tokenize(text)
	if err != nil {
		return "", err
	}
	with := withNames(tokens)
	out := edits{text: text}
	for i := range tokens {
		if !opensTable(tokens, i) {
			continue
		}
		name := tokens[i].text
		body, isView := known[name]
		if !isView || slices.Contains(with, name) {
			continue
		}
		last := i
		if i+1 < len(tokens) && tokens[i+1].text == "(" {
			last = closing(tokens, i+1)
			if slices.ContainsFunc(tokens[i:last], func(t token) bool { return t.is("SELECT") }) {
				continue // a query as an argument must run only once, even if the view uses the parameter several times
			}
			if err := checkArguments(tokens[i+2 : last]); err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
			if body, err = bindArguments(body, arguments(text, tokens[i+2:last])); err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
		}
		if err := checkShadowing(body, with); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		body = "(" + body + "\n)" // the line break ends a comment at the end of the body
		if !named(tokens[last+1:]) {
			body += " AS " + name
		}
		out.replace(tokens[i], tokens[last], body)
	}
	return out.result(), nil
}

// opensTable reports whether a token is the name of a table or view after FROM or JOIN.
func opensTable(tokens []token, i int) bool {
	return i > 0 && tokens[i].name && (tokens[i-1].is("FROM") || tokens[i-1].is("JOIN"))
}

// closing finds the bracket that closes the one at the index open.
func closing(tokens []token, open int) int {
	return open + slices.IndexFunc(tokens[open:], func(t token) bool {
		return t.text == ")" && t.depth == tokens[open].depth
	})
}

// named reports whether the tokens after a table give it a name. Keywords are in capitals,
// names are not.
func named(following []token) bool {
	return len(following) > 0 && (following[0].is("AS") ||
		following[0].name && following[0].text != strings.ToUpper(following[0].text))
}

// withNames returns the names of the subqueries in WITH.
func withNames(tokens []token) []string {
	var names []string
	for i := range tokens {
		if i+3 < len(tokens) && tokens[i].name && tokens[i+1].is("AS") && tokens[i+2].text == "(" &&
			(tokens[i+3].is("SELECT") || tokens[i+3].is("WITH")) {
			names = append(names, tokens[i].text)
		}
	}
	return names
}

// checkShadowing fails if a view's body reads a table with the name of a subquery in the
// statement around it. ClickHouse would read the subquery instead.
func checkShadowing(body string, around []string) error {
	tokens, err := tokenize(body)
	if err != nil {
		return err
	}
	own := withNames(tokens)
	for i := range tokens {
		if name := tokens[i].text; opensTable(tokens, i) && !slices.Contains(own, name) &&
			slices.Contains(around, name) {
			return fmt.Errorf("it reads table %s: give the subquery %s of the statement around it another name", name,
				name)
		}
	}
	return nil
}

// checkArguments fails if an argument is the name of a column or of an expression in WITH,
// which could mean something else inside the view. Parameters of the statement and
// functions are allowed.
func checkArguments(tokens []token) error {
	for _, argument := range statement(tokens).split() {
		for i, t := range argument {
			inBraces := lastOf(argument[:i], "{") > lastOf(argument[:i], "}")
			isCall := i+1 < len(argument) && argument[i+1].text == "("
			if i < 2 || !t.name || inBraces || isCall || t.is("true") || t.is("false") || t.is("NULL") {
				continue
			}
			return fmt.Errorf("the argument %s is a name, which may mean something else inside the view: give a "+
				"value or a parameter", t.text)
		}
	}
	return nil
}

// lastOf returns the index of the last token with the text, or -1.
func lastOf(tokens []token, text string) int {
	for i := len(tokens) - 1; i >= 0; i-- {
		if tokens[i].text == text {
			return i
		}
	}
	return -1
}

// arguments returns the text of each argument in a call, by the name of the parameter.
func arguments(text string, tokens []token) map[string]string {
	given := map[string]string{}
	for _, argument := range statement(tokens).split() {
		if len(argument) > 2 && argument[1].text == "=" {
			given[argument[0].text] = text[argument[2].start:argument[len(argument)-1].end]
		}
	}
	return given
}

// bindArguments replaces the parameters {name:Type} of a body by arguments. It fails if an
// argument is missing or not used.
func bindArguments(body string, given map[string]string) (string, error) {
	tokens, err := tokenize(body)
	if err != nil {
		return "", err
	}
	out := edits{text: body}
	used := map[string]bool{}
	for i := range tokens {
		if tokens[i].text != "{" {
			continue
		}
		last := i + slices.IndexFunc(tokens[i:], func(t token) bool { return t.text == "}" })
		if last < i+4 || tokens[i+2].text != ":" {
			return "", errors.New("write a parameter as {name:Type}")
		}
		name, kind := tokens[i+1].text, body[tokens[i+3].start:tokens[last].start]
		argument, ok := given[name]
		if !ok {
			return "", fmt.Errorf("parameter %s is not given", name)
		}
		used[name] = true
		if !isParameter(argument, kind) {
			argument = "CAST(" + argument + ", '" + strings.ReplaceAll(kind, "'", "''") + "')"
		}
		out.replace(tokens[i], tokens[last], argument)
	}
	if len(used) != len(given) {
		return "", fmt.Errorf("%d arguments for %d parameters", len(given), len(used))
	}
	return out.result(), nil
}

// isParameter reports whether an argument is only a parameter with this type.
func isParameter(argument, kind string) bool {
	return strings.HasPrefix(argument, "{") && strings.HasSuffix(argument, ":"+kind+"}") &&
		strings.Count(argument, "{") == 1
}
