package sql

import (
	"fmt"
	"regexp"
	"slices"

	sqltext "cuota/sql/text"
)

// Cluster is the name of a ClickHouse cluster whose replicas all hold every table. It is
// empty for a single server. It renders the statements that create and change tables, views
// and functions: unchanged for a single server, with replicated engines and ON CLUSTER for
// a cluster. Rendering fails for a statement that it does not know, so that none is run
// unchanged on a cluster.
type Cluster string

var clusterName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// Validate fails if the name has characters that the name of a cluster hardly has. A valid
// name can safely be put into a statement.
func (c Cluster) Validate() error {
	if c == "" || clusterName.MatchString(string(c)) {
		return nil
	}
	return fmt.Errorf("%q is not the name of a cluster: use letters, digits, and any of _ . -", string(c))
}

// Settings returns the settings that every connection to the cluster needs, so that one row
// in the table batch publishes a batch on all replicas
// (docs/decisions/0029-replicated-cluster.md). It returns nil for a single server.
func (c Cluster) Settings() map[string]any {
	if c == "" {
		return nil
	}
	return map[string]any{
		// An insert ends when a majority of the replicas has the row and all earlier rows
		// of the table.
		"insert_quorum":          "auto",
		"insert_quorum_parallel": 0,
		// A replica does not answer from a table if it lacks rows that an insert has
		// stored.
		"select_sequential_consistency": 1,
		// Only one insert into a table may wait for its quorum at a time.
		"max_insert_threads": 1,
		"async_insert":       0,
		// A delete ends when all replicas have executed it.
		"mutations_sync":           2,
		"lightweight_deletes_sync": 2,
		// Functions that the servers keep in Keeper are on all replicas already.
		"ignore_on_cluster_for_replicated_udf_queries": 1,
	}
}

// Tables returns the statements of Tables, rendered for the cluster.
func (c Cluster) Tables() ([]Script, error) { return c.renderAll(slices.Clone(Tables())) }

// Functions returns the statements of Functions, rendered for the cluster.
func (c Cluster) Functions() ([]Script, error) { return c.renderAll(Functions()) }

// Views returns the statements of Views, rendered for the cluster.
func (c Cluster) Views() ([]Script, error) { return c.renderAll(Views()) }

func (c Cluster) renderAll(scripts []Script) ([]Script, error) {
	for i, script := range scripts {
		text, err := c.Render(script.Name, script.Text)
		if err != nil {
			return nil, err
		}
		scripts[i].Text = text
	}
	return scripts, nil
}

// Render adds the clauses of the cluster to the statements of a file, and changes nothing
// else, not even comments. It fails if it does not know a statement. The error has the name
// and the line.
func (c Cluster) Render(name, text string) (string, error) {
	if c == "" {
		return text, nil
	}
	if err := c.Validate(); err != nil {
		return "", err
	}
	rendered, err := sqltext.Replicated(text, string(c))
	if err != nil {
		return "", fmt.Errorf("render %s for a cluster: %w", name, err)
	}
	return rendered, nil
}
