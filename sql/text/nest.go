package sqltext

import "slices"

// Nested returns a statement in which each subquery of WITH that is read once stands in place of its name after
// FROM or JOIN, so that a chain of subqueries becomes subqueries inside each other. What it means stays the same.
//
// ClickHouse takes several times as much memory to plan a stored view with a long chain in WITH as to plan the same
// view with the subqueries in place (docs/decisions/0031-views-in-place.md).
func Nested(text string) (string, error) {
	for {
		tokens, err := tokenize(text)
		if err != nil {
			return "", err
		}
		out := edits{text: text}
		// The innermost WITH comes first. Then no name inside it hides one around it any more.
		for i := len(tokens) - 1; i >= 0 && len(out.list) == 0; i-- {
			if tokens[i].is("WITH") {
				nestOne(&out, tokens, i)
			}
		}
		if len(out.list) == 0 {
			return text, nil
		}
		text = out.result()
	}
}

// nestOne puts the last subquery of a WITH that is read once in place of its name, if there is one.
func nestOne(out *edits, tokens []token, with int) {
	depth := tokens[with].depth
	outside := func(t token) bool { return t.depth < depth }
	selects := func(t token) bool { return t.depth == depth && t.is("SELECT") }
	end := len(tokens)
	if last := slices.IndexFunc(tokens[with:], outside); last >= 0 {
		end = with + last
	}
	list := slices.IndexFunc(tokens[with:end], selects)
	if list < 2 {
		return
	}
	items := statement(tokens[with+1 : with+list]).split()
	at := with + list // the token after the item
	for n := len(items) - 1; n >= 0; n-- {
		item := items[n]
		first := at - len(item)
		read := -1
		if isSubquery(item) {
			read = onlyRead(tokens[:end], with, first, at)
		}
		if read < 0 {
			at = first - 1 // before the comma
			continue
		}
		body := out.text[item[2].start:item[len(item)-1].end]
		if !named(tokens[read+1:]) {
			body += " AS " + item[0].text
		}
		out.replace(tokens[read], tokens[read], body)
		switch {
		case len(items) == 1: // with the word WITH
			out.replace(tokens[with], tokens[at-1], "")
		case n == len(items)-1: // with the comma before it
			out.replace(tokens[first-1], tokens[at-1], "")
		default: // with the comma after it
			out.replace(tokens[first], tokens[at], "")
		}
		return
	}
}

// isSubquery reports whether an item of WITH is a subquery: name AS (SELECT …).
func isSubquery(item statement) bool {
	return len(item) > 4 && item[0].name && item[1].is("AS") && item[2].text == "(" &&
		(item[3].is("SELECT") || item[3].is("WITH")) && closing(item, 2) == len(item)-1
}

// onlyRead returns where the subquery of WITH that stands from first to before after is read. It returns -1 if that is
// not exactly one place after FROM or JOIN, or if names could mean something else there.
func onlyRead(scope []token, with, first, after int) int {
	name, read := scope[first].text, -1
	for i := with + 1; i < len(scope); i++ {
		if scope[i].text != name || i == first {
			continue
		}
		switch {
		case scope[i-1].is("IN"), slices.Contains(withNames(scope[i:min(i+4, len(scope))]), name):
			return -1
		case !opensTable(scope, i), i+1 < len(scope) && slices.Contains([]string{".", "("}, scope[i+1].text):
			continue // a column, the name of a table or view of the database, or a call
		case read >= 0, i < after, insideWith(scope, with, i):
			return -1
		}
		read = i
	}
	return read
}

// insideWith reports whether another WITH stands at the beginning of a subquery around a token.
func insideWith(tokens []token, with, at int) bool {
	depth := tokens[at].depth
	for i := at - 1; i > with && depth > tokens[with].depth; i-- {
		if tokens[i].text == "(" && tokens[i].depth == depth-1 {
			if tokens[i+1].is("WITH") {
				return true
			}
			depth--
		}
	}
	return false
}
