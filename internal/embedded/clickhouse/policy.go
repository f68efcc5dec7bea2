package clickhouse

import (
	"strconv"
	"strings"
	"time"

	"cuota/internal/embedded/clickhouse/chdb"
)

// What people may do is decided in layers; each stands even if another falls.
//
//  1. The engine's grants: the people's role reads the product's database and
//     nothing else, and no role may use what reaches outside the engine
//     (directory.go).
//  2. readonly = 1 on every session of people, set last, so that no setting
//     can be changed by a statement; of the settings in a URL only the
//     harmless ones below are taken.
//  3. The engine's parser must say that the text is exactly one read-only
//     statement. This refuses INTO OUTFILE, SET, SET ROLE, KILL, SYSTEM, USE
//     and ATTACH, which readonly lets through or grants don't cover.
//  4. The names in the statement. The library lets some things pass that a
//     server would not: the function file() reads any file of the host whatever
//     the grants, and system tables need none. So the statement, as the
//     engine's parser wrote it out again, may not name these.

const (
	maxPeopleStatementBytes = 256 << 10
	maxPeopleResultBytes    = 256 << 20
)

// refusedFunctions read the host, its network or the process. They are refused
// wherever the name stands, with or without brackets: arrayMap(file, …) and
// APPLY(file) call it too.
var refusedFunctions = set("file", "catboostevaluate", "showcertificate",
	"addresstoline", "addresstolinewithinlines", "addresstosymbol", "demangle", "buildid",
	"aiclassify", "aiembed", "aiextract", "aigenerate", "aitranslate",
	"getserversetting", "getmacro", "sleep", "sleepeachrow")

// allowedTableFunctions are those that make rows from their arguments alone.
// Most others are refused by the grants; some that are not read system tables
// (merge), run a text as a statement (eval) or show what is stored below
// tables (mergeTreeIndex).
var allowedTableFunctions = set("numbers", "numbers_mt", "zeros", "zeros_mt", "primes",
	"generateseries", "generate_series", "generaterandom", "values", "sqlstandardvalues", "null", "view", "format")

// tableFunctions are all that the engine has; a test compares the list with
// the engine's.
var tableFunctions = set("SQLStandardValues", "arrowstream", "azureBlobStorage", "azureBlobStorageCluster", "cluster",
	"clusterAllReplicas", "cosn", "deltaLake", "deltaLakeAzure", "deltaLakeAzureCluster", "deltaLakeCluster",
	"deltaLakeLocal", "deltaLakeS3", "deltaLakeS3Cluster", "dictionary", "eval", "executable", "file", "fileCluster",
	"filesystem", "format", "fuzzJSON", "fuzzQuery", "gcs", "generateRandom", "generateSeries", "generate_series",
	"hdfs", "hdfsCluster", "hudi", "hudiCluster", "iceberg", "icebergAzure", "icebergAzureCluster", "icebergCluster",
	"icebergHDFS", "icebergHDFSCluster", "icebergLocal", "icebergLocalCluster", "icebergS3", "icebergS3Cluster", "input",
	"jdbc", "loop", "merge", "mergeTreeAnalyzeIndexes", "mergeTreeAnalyzeIndexesUUID", "mergeTreeIndex",
	"mergeTreeProjection", "mergeTreeTextIndex", "mongodb", "mysql", "null", "numbers", "numbers_mt", "odbc", "oss",
	"paimon", "paimonAzure", "paimonAzureCluster", "paimonCluster", "paimonHDFS", "paimonHDFSCluster", "paimonLocal",
	"paimonS3", "paimonS3Cluster", "postgresql", "primes", "prometheusQuery", "prometheusQueryRange", "redis", "remote",
	"remoteSecure", "s3", "s3Cluster", "sqlite", "timeSeriesData", "timeSeriesMetrics", "timeSeriesSamples",
	"timeSeriesSelector", "timeSeriesTags", "url", "urlCluster", "values", "view", "viewExplain", "viewIfPermitted",
	"ytsaurus", "zeros", "zeros_mt")

// allowedSystemTables describe the schema and the language; the client tools
// that people use read them. The others show the process, the host or what
// others are asking.
var allowedSystemTables = set("one", "numbers", "numbers_mt", "zeros", "zeros_mt", "databases", "tables", "columns",
	"functions", "table_functions", "aggregate_function_combinators", "data_type_families", "formats", "settings",
	"keywords", "time_zones", "collations", "dictionaries", "parts", "constraints", "data_skipping_indices")

// allowedSettings may be sent by people. Not among them: whatever lifts a
// limit, changes the language, or names a file (format_schema, format_template_…,
// output_format_schema).
var allowedSettings = set("date_time_output_format", "session_timezone", "join_use_nulls", "extremes", "final",
	"limit", "offset", "max_block_size", "log_comment", "bool_true_representation", "bool_false_representation",
	"format_csv_delimiter", "format_csv_null_representation", "format_tsv_null_representation",
	"output_format_write_statistics", "output_format_csv_crlf_end_of_line", "output_format_tsv_crlf_end_of_line",
	"output_format_decimal_trailing_zeros", "output_format_json_array_of_rows",
	"output_format_json_quote_64bit_integers", "output_format_json_quote_64bit_floats",
	"output_format_json_quote_denormals", "output_format_json_quote_decimals",
	"output_format_json_named_tuples_as_objects", "output_format_json_escape_forward_slashes",
	"output_format_json_validate_utf8", "output_format_json_pretty_print_indent",
	"output_format_pretty_max_rows", "output_format_pretty_max_column_pad_width", "output_format_pretty_max_value_width",
	"output_format_pretty_color", "output_format_pretty_row_numbers", "output_format_pretty_grid_charset",
	"output_format_parquet_compression_method", "output_format_parquet_string_as_string",
	"output_format_parquet_row_group_size", "output_format_arrow_compression_method",
	"output_format_arrow_string_as_string", "output_format_arrow_low_cardinality_as_dictionary")

// ignoredSettings are sent by common clients and mean nothing here.
var ignoredSettings = set("workload", "send_progress_in_http_headers", "http_headers_progress_interval_ms",
	"http_response_buffer_size", "connect_timeout", "receive_timeout", "send_timeout", "use_uncompressed_cache",
	"cancel_http_readonly_queries_on_client_close")

// peopleSettings answers the settings of a request of people that are taken,
// or refuses one that may not be changed.
func peopleSettings(settings []setting, timeout time.Duration) ([]setting, error) {
	var taken []setting
	for _, x := range settings {
		switch {
		case allowedSettings[x.name]:
			taken = append(taken, x)
		case ignoredSettings[x.name]:
		case x.name == "readonly" && (x.value == "1" || x.value == "2"): // it is so already
		case x.name == "max_execution_time":
			// Clients send their own patience, which may be longer than ours:
			// the shorter one holds. 0 would be no limit.
			seconds, err := strconv.ParseFloat(x.value, 64)
			if err != nil || !(seconds > 0) {
				return nil, newException(codeReadonly, "Setting max_execution_time must be above 0 seconds for people")
			}
			if seconds <= timeout.Seconds() {
				taken = append(taken, x)
			}
		default:
			return nil, newException(codeReadonly, "Cannot modify '%s' setting in readonly mode", x.name)
		}
	}
	return taken, nil
}

// admitPeople refuses what people may not run.
func admitPeople(s *session, q *request, analysis chdb.Analysis) error {
	if analysis.Statements == 1 && analysis.Class != chdb.ReadOnly {
		return newException(codeReadonly, "People's statements are read-only: SELECT, SHOW, DESCRIBE, EXPLAIN, EXISTS")
	}
	text, err := canonical(s, q.statement)
	if err != nil {
		return err
	}
	if analysis.Class != chdb.ReadOnly {
		return newException(codeReadonly, "The engine doesn't say what this statement does, so people may not run it")
	}
	return checkNames(text, q.params)
}

// checkNames looks at every name in a statement that the engine wrote out.
func checkNames(text string, params []chdb.Param) error {
	s := scanner{text: text}
	var tokens [4]token // the last ones, the newest at the end
	identifiers := false
	for n := 0; ; n++ {
		t, ok := s.next()
		if !ok {
			break
		}
		copy(tokens[:], tokens[1:])
		tokens[3] = t
		name := strings.ToLower(t.text)
		before, point := tokens[1], tokens[2]
		if t.name() {
			if refusedFunctions[name] {
				return refusedName(t.text)
			}
			if name == "processlist" && n < 4 {
				return newException(codeAccessDenied, "People may not see what others are running")
			}
			if strings.Contains(name, "system.") {
				return refusedName(t.text)
			}
			// The engine writes keywords in capitals. A subquery's settings
			// escape readonly, so none are taken in a statement.
			if t.kind == word && t.text == "SETTINGS" && n != 1 {
				return newException(codeReadonly, "Cannot modify settings in readonly mode: send them as parameters of the URL")
			}
			identifiers = identifiers || name == "identifier" && point.text == ":"
		}
		// A table function has its bracket right behind its name.
		if t.kind == operator && t.text == "(" && point.name() {
			if f := strings.ToLower(point.text); tableFunctions[f] && !allowedTableFunctions[f] {
				return refusedName(point.text)
			}
		}
		if point.kind == operator && point.text == "." && before.name() && strings.EqualFold(before.text, "system") &&
			!(t.name() && allowedSystemTables[name]) {
			return newException(codeAccessDenied, "People may not read the table system.%.64s", t.text)
		}
	}
	if !identifiers {
		return nil
	}
	// A parameter of type Identifier becomes a name of the statement.
	for _, p := range params {
		for part := range strings.FieldsFuncSeq(strings.ToLower(p.Value), func(r rune) bool {
			return r != '_' && !(r >= 'a' && r <= 'z') && !(r >= '0' && r <= '9')
		}) {
			if part == "system" || refusedFunctions[part] || strings.Contains(p.Value, `\`) {
				return newException(codeAccessDenied, "People may not use the parameter %s as a name", p.Name)
			}
		}
	}
	return nil
}

func refusedName(name string) error {
	return newException(codeAccessDenied, "People may not use %.64s: it reaches outside the database. A column of that name needs another alias in a view", name)
}

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, n := range names {
		m[strings.ToLower(n)] = true
	}
	return m
}
