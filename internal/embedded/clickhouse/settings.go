package clickhouse

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the templates
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"runtime"
	"text/template"
)

// Templates of the generated configuration. The library and an installed ClickHouse read the
// same files.
var (
	//go:embed config.xml.tmpl
	configText string
	//go:embed users.xml.tmpl
	usersText string

	configTemplate = xmlTemplate("config.xml", configText)
	usersTemplate  = xmlTemplate("users.xml", usersText)
)

// settings is the data of the templates. Memory and disk sizes are in bytes.
type settings struct {
	Binary               bool // the configuration is for an installed ClickHouse
	Data, Backups, Users string
	NativePort, HTTPPort int

	Memory, MarkCache, IndexMarkCache, PrimaryIndexCache int64
	PeopleMemory, PeopleQueryMemory                      int64
	PeopleDisk                                           int64

	Database        string
	PeoplesDatabase string
	OwnerHash       string // SHA-256 of the owner's password, in hex
	CommandsHash    string // SHA-256 of the password of the user commands, in hex
	StatementBytes  int
	PeopleThreads   int
	PeopleSeconds   float64
	PeopleSettings  []string
}

// statementBytes limits the text of a statement of the owner, in bytes, without its parameters.
const statementBytes = 4 << 20

// peopleDisk limits the temporary files of people's sorting and grouping, in bytes.
const peopleDisk = 4 << 30

func settingsOf(config Config, dir *directory, at ports, password, key string) settings {
	memory := config.MaxMemoryBytes
	return settings{
		Binary: config.Binary != "",
		Data:   dir.data, Backups: dir.backups, Users: dir.users,
		NativePort: at.native, HTTPPort: at.http,
		Memory: memory, MarkCache: memory / 16, IndexMarkCache: memory / 64, PrimaryIndexCache: memory / 32,
		PeopleMemory: memory / 4, PeopleQueryMemory: memory / 8, PeopleDisk: peopleDisk,
		Database: config.Database, PeoplesDatabase: config.PeoplesDatabase, OwnerHash: hashOf(password),
		CommandsHash: hashOf(key), StatementBytes: statementBytes,
		PeopleThreads: max(1, runtime.NumCPU()/2), PeopleSeconds: config.QueryTimeout.Seconds(),
		PeopleSettings: peopleSettings,
	}
}

// hashOf returns the SHA-256 of a password, in hex.
func hashOf(password string) string {
	hash := sha256.Sum256([]byte(password))
	return hex.EncodeToString(hash[:])
}

func (s settings) render(t *template.Template) ([]byte, error) {
	var out bytes.Buffer
	if err := t.Execute(&out, s); err != nil {
		return nil, fmt.Errorf("write the engine's configuration: %w", err)
	}
	return out.Bytes(), nil
}

func xmlTemplate(name, text string) *template.Template {
	return template.Must(template.New(name).Option("missingkey=error").Funcs(template.FuncMap{"xml": escape}).Parse(
		text))
}

// escape writes a text as the content of an XML element.
func escape(text string) (string, error) {
	var out bytes.Buffer
	err := xml.EscapeText(&out, []byte(text))
	return out.String(), err
}

// peopleSettings are the settings that people may change to any value: the format of results, and
// settings that common clients send by themselves. Settings that lift a limit, change the language
// or name a file are not among them. Limits that people may only narrow are in the template. ClickHouse accepts no
// patterns here, so every setting is listed.
var peopleSettings = []string{
	"date_time_output_format", "session_timezone", "join_use_nulls", "extremes", "final", "limit", "offset",
	"max_block_size", "log_comment",
	"bool_true_representation", "bool_false_representation",
	"format_csv_delimiter", "format_csv_null_representation", "format_tsv_null_representation",
	"output_format_write_statistics", "output_format_csv_crlf_end_of_line", "output_format_tsv_crlf_end_of_line",
	"output_format_decimal_trailing_zeros", "output_format_json_array_of_rows",
	"output_format_json_quote_64bit_integers", "output_format_json_quote_64bit_floats",
	"output_format_json_quote_denormals", "output_format_json_quote_decimals",
	"output_format_json_named_tuples_as_objects", "output_format_json_escape_forward_slashes",
	"output_format_json_validate_utf8",
	"output_format_pretty_max_rows", "output_format_pretty_max_column_pad_width",
	"output_format_pretty_max_value_width",
	"output_format_pretty_color", "output_format_pretty_row_numbers", "output_format_pretty_grid_charset",
	"output_format_parquet_compression_method", "output_format_parquet_string_as_string",
	"output_format_parquet_row_group_size", "output_format_arrow_compression_method",
	"output_format_arrow_string_as_string", "output_format_arrow_low_cardinality_as_dictionary",
	"send_progress_in_http_headers", "http_response_buffer_size",
	"enable_http_compression", "http_zlib_compression_level", "network_compression_method",
	"connect_timeout", "receive_timeout", "send_timeout", "use_uncompressed_cache",
	// Of these the profile sets none, so any value narrows.
	"max_rows_to_read", "max_bytes_to_read", "max_columns_to_read", "priority",
	// At the limit of the result: an error, or a result that ends there. JDBC's setMaxRows sends break.
	"result_overflow_mode",
	// They do nothing on reads. Drivers that can also write send them with every statement.
	"async_insert", "wait_for_async_insert", "wait_for_async_insert_timeout", "insert_deduplicate",
	"insert_deduplication_token",
	"insert_null_as_default", "max_insert_block_size", "max_insert_threads", "min_insert_block_size_rows",
	"min_insert_block_size_bytes",
	"mutations_sync", "alter_sync",
}
