package sqltext

import "errors"

// InsertedTable returns the table of an INSERT ... SELECT.
func InsertedTable(text string) (table string, err error) {
	tokens, err := tokenize(text)
	if err != nil {
		return "", err
	}
	s := statement(tokens)
	if !s.begins("INSERT", "INTO") || len(s) < 4 || !s[2].name || s[3].text != "(" {
		return "", errors.New("write INSERT INTO table (columns) SELECT")
	}
	last := closing(tokens, 3)
	if rest := s[last+1:]; !rest.begins("SELECT") && !rest.begins("WITH") {
		return "", errors.New("write SELECT or WITH after the columns")
	}
	return s[2].text, nil
}

// HasParameter reports whether a statement has the parameter {name:Type}.
func HasParameter(statement, name string) bool {
	tokens, err := tokenize(statement)
	if err != nil {
		return false
	}
	for i := range tokens {
		if i+2 < len(tokens) && tokens[i].text == "{" && tokens[i+1].text == name && tokens[i+2].text == ":" {
			return true
		}
	}
	return false
}
