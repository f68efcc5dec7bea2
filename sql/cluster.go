package sql

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Cluster is the name of a ClickHouse cluster whose replicas all hold every table,
// empty for a single server. It renders the statements that make and change tables,
// views and functions: for a single server unchanged, for a cluster with replicated
// engines and ON CLUSTER. A statement that it cannot render for a cluster is an error,
// never passed on as it is.
type Cluster string

var clusterName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// Validate refuses a name that ClickHouse's configuration would hardly have, so that
// a name can be put into a statement.
func (c Cluster) Validate() error {
	if c == "" || clusterName.MatchString(string(c)) {
		return nil
	}
	return fmt.Errorf("%q is not the name of a cluster: use letters, digits, and any of _ . -", string(c))
}

// Settings are what every connection to the cluster works with, so that one row
// in the table batch publishes a batch on all replicas
// (docs/decisions/0029-replicated-cluster.md). A single server needs none.
func (c Cluster) Settings() map[string]any {
	if c == "" {
		return nil
	}
	return map[string]any{
		// A row is stored when most replicas have it, and those have all earlier rows of
		// the table as well.
		"insert_quorum":          "auto",
		"insert_quorum_parallel": 0,
		// No replica answers from a table of which it lacks rows that are stored.
		"select_sequential_consistency": 1,
		// Only one insert at a time may wait for its quorum in a table.
		"max_insert_threads": 1,
		"async_insert":       0,
		// A delete has ended when all replicas have done it.
		"mutations_sync":           2,
		"lightweight_deletes_sync": 2,
		// Functions that the servers keep in Keeper are on all of them already.
		"ignore_on_cluster_for_replicated_udf_queries": 1,
	}
}

// Migrations gives the table migrations in goose's format, rendered when they are
// opened.
func (c Cluster) Migrations() (fs.FS, error) {
	migrations, err := fs.Sub(Schema, "schema")
	if err != nil {
		return nil, fmt.Errorf("read the embedded schema: %w", err)
	}
	if c == "" {
		return migrations, nil
	}
	return rendered{migrations, c}, nil
}

// Versions gives the statement that makes the table of the migrations that were
// applied. goose makes it by itself on a single server.
func (c Cluster) Versions() (string, error) {
	return c.Render(versionsScript, text("versions", versionsScript))
}

// versionsScript is the table of applied migrations.
const versionsScript = "goose_db_version"

// Functions is Functions for the cluster.
func (c Cluster) Functions() ([]Script, error) { return c.renderAll(Functions()) }

// Views is Views for the cluster.
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

// Render gives the statements of a file for the cluster. Only the clauses of the
// cluster are added; all else stays as it is, comments too. The name tells in an
// error where the statement stands.
func (c Cluster) Render(name, text string) (string, error) {
	if c == "" {
		return text, nil
	}
	if err := c.Validate(); err != nil {
		return "", err
	}
	tokens, err := tokenize(text)
	if err != nil {
		return "", fmt.Errorf("render %s for a cluster: %w", name, err)
	}
	r := &rendering{edits: edits{text: text}, cluster: c, emptyTables: path.Base(name) <= lastOnEmptyTables}
	for len(tokens) > 0 {
		end := 0
		for end < len(tokens) && tokens[end].text != ";" {
			end++
		}
		if err := r.statement(statement(tokens[:end])); err != nil {
			return "", fmt.Errorf("render %s for a cluster: line %d: %w", name, 1+strings.Count(text[:tokens[0].start], "\n"), err)
		}
		tokens = tokens[min(end+1, len(tokens)):]
	}
	return r.result(), nil
}

// rendered is a folder of migrations that are rendered when they are opened.
type rendered struct {
	fs.FS
	cluster Cluster
}

// Open implements fs.FS.
func (r rendered) Open(name string) (fs.File, error) {
	file, err := r.FS.Open(name)
	if err != nil || path.Ext(name) != ".sql" {
		return file, err
	}
	defer func() { _ = file.Close() }() // it is in the program itself
	original, err := fs.ReadFile(r.FS, name)
	if err != nil {
		return nil, err
	}
	text, err := r.cluster.Render(name, string(original))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	return &renderedFile{Reader: bytes.NewReader([]byte(text)), info: renderedInfo{info, int64(len(text))}}, nil
}

type renderedFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f *renderedFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *renderedFile) Close() error               { return nil }

type renderedInfo struct {
	fs.FileInfo
	size int64
}

func (i renderedInfo) Size() int64 { return i.size }
