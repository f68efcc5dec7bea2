package projector_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/testkit/demotest"
	"cuota/sql"
)

// deciding are the settings that people may send and that could change rows, each with a
// value to try. The other allowed settings only concern the text of the reply.
var deciding = map[string]string{
	"join_use_nulls": "1", "final": "1", "extremes": "1", "max_block_size": "7", "session_timezone": "America/Santiago",
	"limit": "1", "offset": "1",
	"max_threads": "1", "priority": "1",
	// These two cut the whole result, as limit does. A view inside a statement keeps its rows.
	"max_result_rows": "1", "result_overflow_mode": "break",
}

var aboutText = regexp.MustCompile(
	`^(output_format_|format_|bool_(true|false)_|date_time_output_format$|log_comment$|readonly$|max_execution_time$` +
		// With these a statement ends with an error, earlier than it would.
		`|max_(rows|bytes|columns)_to_read$|max_memory_usage$|max_query_size$|max_result_bytes$` +
		// These concern statements that write, which people may not send.
		`|(async_|wait_for_async_|max_|min_)?insert_|wait_for_async_insert$|async_insert$|mutations_sync$|alter_sync$` +
		// These are accepted and ignored.
		`|workload$|send_progress|http_|enable_http_compression$|add_http_cors_header$|connect_timeout$|receive_timeout$|send_timeout$|use_uncompressed_cache$|network_compression_method$|cancel_http_)`)

func settingsChangeNothing(t *testing.T, m *demotest.Market, batch uint64) {
	options := *m.Options
	options.Auth, options.Settings = clickhouse.Auth{Database: sql.PeoplesDatabase(m.Options.Auth.Database),
		Username: "people"}, nil
	person, err := clickhouse.Open(&options)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = person.Close() }()
	var free []struct {
		Name string `ch:"name"`
	}
	if err := person.Select(t.Context(), &free, "SELECT name FROM system.settings WHERE readonly = 0"); err != nil {
		t.Fatal(err)
	}
	maySend := map[string]bool{}
	for _, setting := range free {
		maySend[setting.Name] = true
		if _, listed := deciding[setting.Name]; !listed && !aboutText.MatchString(setting.Name) {
			t.Errorf("people may send the setting %s, which this test does not try", setting.Name)
		}
	}
	all := clickhouse.Settings{}
	for name, value := range deciding {
		if !maySend[name] {
			t.Errorf("people may not send %s any more", name)
		}
		all[name] = value
	}
	spoke := 0
	for _, view := range viewCalls(t, batch) {
		// Two equal rows, of which limit and offset of the whole result leave one.
		query := "SELECT arrayJoin([hash, hash]) FROM (SELECT toString((sum(cityHash64(toString(tuple(*)))), " +
			"count())) AS hash FROM " + view + ")"
		want := column(t, m, query)[0]
		if !strings.HasSuffix(want, ",0)") {
			spoke++
		}
		if got := hashWith(t, m, query, all); got == want {
			continue
		}
		for name, value := range deciding {
			if got := hashWith(t, m, query, clickhouse.Settings{name: value}); got != want {
				t.Errorf("%s: with %s = %s it returns %s, without %s", view, name, value, got, want)
			}
		}
	}
	if spoke < 55 {
		t.Errorf("only %d views have rows: this proves too little", spoke)
	}
}

func hashWith(t *testing.T, m *demotest.Market, query string, settings clickhouse.Settings) string {
	t.Helper()
	var hash string
	if err := m.Conn.QueryRow(clickhouse.Context(context.Background(), clickhouse.WithSettings(settings)),
		query).Scan(&hash); err != nil {
		return err.Error()
	}
	return hash
}
