package account

import (
	"embed"

	"cuota/internal/sqlrows"
)

//go:embed sql/*.sql
var statementFiles embed.FS

// statement returns the text of a file of sql. The same text runs on SQLite and on PostgreSQL.
var statement = sqlrows.Statements(statementFiles)
