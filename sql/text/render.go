package sqltext

import (
	"errors"
	"fmt"
	"strings"
)

// keeperPath is the path in Keeper that the replicas of a table share. A replica that is
// added later joins by running the statement that the other replicas show for the table. It
// has the path that was valid when the table was created: a rename does not change the path.
// That would not work for a path with {uuid}.
const keeperPath = "'/clickhouse/tables/{shard}/{database}/{table}', '{replica}'"

// replicatedEngines maps the engines that our tables use to their replicated form.
var replicatedEngines = map[string]string{
	"MergeTree":          "ReplicatedMergeTree",
	"ReplacingMergeTree": "ReplicatedReplacingMergeTree",
}

// OnCluster returns the clause that follows the name of a table, view or function, with a blank in
// front, or nothing without a cluster. The name of the cluster must have no quotes.
func OnCluster(cluster string) string {
	if cluster == "" {
		return ""
	}
	return " ON CLUSTER '" + cluster + "'"
}

// Replicated adds the clauses of a cluster to the statements of a text, and changes nothing
// else, not even comments. It fails if it does not know a statement. The error has the line.
func Replicated(text, cluster string) (string, error) {
	tokens, err := tokenize(text)
	if err != nil {
		return "", err
	}
	r := &rendering{edits: edits{text: text}, onCluster: OnCluster(cluster)}
	for len(tokens) > 0 {
		end := 0
		for end < len(tokens) && tokens[end].text != ";" {
			end++
		}
		if err := r.statement(statement(tokens[:end])); err != nil {
			return "", fmt.Errorf("line %d: %w", 1+strings.Count(text[:tokens[0].start], "\n"), err)
		}
		tokens = tokens[min(end+1, len(tokens)):]
	}
	return r.result(), nil
}

// rendering collects the changes that a cluster needs in a text.
type rendering struct {
	edits
	onCluster string
}

// statement adds to one statement what the cluster needs. It accepts only statements that
// can be run again, because an interrupted start runs them again.
func (r *rendering) statement(s statement) error {
	switch {
	case len(s) == 0:
		return nil
	case s.begins("CREATE", "TABLE"):
		return r.createTable(s)
	case s.begins("CREATE", "OR", "REPLACE", "VIEW"), s.begins("CREATE", "OR", "REPLACE", "FUNCTION"):
		columns := s[3].is("VIEW") && len(s) > 5 && s[5].text == "("
		if len(s) < 6 || !s[4].name || !s[5].is("AS") && !columns {
			return errors.New("give CREATE OR REPLACE a name, and then AS or the columns of a view")
		}
		r.after(s[4], r.onCluster)
		return nil
	case s.begins("ALTER", "TABLE"):
		return r.alterTable(s)
	case s.begins("DROP", "TABLE"):
		named := len(s) == 5 || len(s) == 7 && s[5].text == "." && s[6].name
		if !named || !s[:4].begins("DROP", "TABLE", "IF", "EXISTS") || !s[4].name {
			return errors.New("give DROP TABLE IF EXISTS a name and nothing else")
		}
		// a table with the same name, and so the same path in Keeper, may follow
		r.after(s[len(s)-1], r.onCluster+" SYNC")
		return nil
	}
	return fmt.Errorf("statements that begin with %s are not supported", s.head())
}

// createTable replaces the engine by its replicated form.
func (r *rendering) createTable(s statement) error {
	if len(s) < 7 || !s.begins("CREATE", "TABLE", "IF", "NOT", "EXISTS") || !s[5].name || s[6].text != "(" {
		return errors.New("give CREATE TABLE IF NOT EXISTS a name and columns")
	}
	engine := -1
	for i := range s {
		if s[i].depth == 0 && s[i].is("ENGINE") {
			if engine >= 0 {
				return errors.New("the table has two engines")
			}
			engine = i
		}
	}
	if engine < 0 || engine+2 >= len(s) || s[engine+1].text != "=" {
		return errors.New("the table has no engine")
	}
	name := s[engine+2]
	replicated, known := replicatedEngines[name.text]
	if !known {
		return fmt.Errorf("engine %s is not supported, because its replicated engine is unknown", name.text)
	}
	r.after(s[5], r.onCluster)
	if engine+3 >= len(s) || s[engine+3].text != "(" {
		r.replace(name, name, replicated+"("+keeperPath+")")
		return nil
	}
	r.replace(name, s[engine+3], replicated+"("+keeperPath)
	if engine+4 < len(s) && s[engine+4].text != ")" {
		r.after(s[engine+3], ", ")
	}
	return nil
}

// alterTable adds the cluster's clause.
func (r *rendering) alterTable(s statement) error {
	if len(s) < 4 || !s[2].name {
		return errors.New("give ALTER TABLE a name and what to change")
	}
	r.after(s[2], r.onCluster)
	for _, action := range s[3:].split() {
		switch {
		case action.begins("COMMENT", "COLUMN"), action.begins("MODIFY", "COMMENT"):
		default:
			return fmt.Errorf("ALTER TABLE with %s is not supported", action.head())
		}
	}
	return nil
}
