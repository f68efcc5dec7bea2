package store

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/shopspring/decimal"

	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/projector/schema"
)

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// tableColumn is a column as ClickHouse describes it.
type tableColumn struct {
	Name    string `ch:"name"`
	Type    string `ch:"type"`
	Default string `ch:"default_kind"`
	Comment string `ch:"comment"`
}

// typesFor lists the types of columns that store a column's values without a change.
func typesFor(c column) []string {
	value := reflect.TypeOf(c.values(nil, 0)).Elem()
	nullable := value.Kind() == reflect.Pointer
	if nullable {
		value = value.Elem()
	}
	var types []string
	switch value {
	case reflect.TypeFor[string]():
		types = []string{"String", "LowCardinality(String)"}
	case reflect.TypeFor[decimal.Decimal]():
		types = []string{fmt.Sprintf("Decimal(18, %d)", c.places)}
	case reflect.TypeFor[time.Time]():
		types = []string{"DateTime64(3, 'UTC')", "DateTime64(6, 'UTC')"}
		if c.field == reflect.TypeFor[model.Date]() {
			types = []string{"Date", "Date32"}
		}
	case reflect.TypeFor[bool]():
		types = []string{"Bool"}
	case reflect.TypeFor[[]string]():
		types = []string{"Array(String)", "Array(LowCardinality(String))"}
	case reflect.TypeFor[[]uint32]():
		types = []string{"Array(UInt32)"}
	case reflect.TypeFor[[]bool]():
		types = []string{"Array(Bool)"}
	default:
		types = []string{map[string]string{"uint8": "UInt8", "uint32": "UInt32", "uint64": "UInt64"}[value.String()]}
	}
	if nullable {
		for i := range types {
			types[i] = "Nullable(" + types[i] + ")"
		}
	}
	return types
}

func TestTheTagsOfEveryEventFitTheColumnsOfItsTable(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	options := clickhousetest.Database(t)
	if err := schema.Make(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	conn, err := clickhouse.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	columnsOf := func(table string) (stored []tableColumn) {
		const query = "SELECT name, type, default_kind, comment FROM system.columns WHERE database = " +
			"currentDatabase() AND table = $1"
		if err := conn.Select(t.Context(), &stored, query, table); err != nil {
			t.Fatal(err)
		}
		return stored
	}
	for table, rows := range map[string]*rowType{
		"fact_quota": voidDays[model.Cartola], "fact_investment_value": voidDays[model.FIValues],
		"rejected_row": rejectedRows, "manifest": manifestRows, "file_judgement": judgementRows,
	} {
		stored := columnsOf(table)
		for _, c := range rows.columns {
			i := slices.IndexFunc(stored, func(s tableColumn) bool { return s.Name == c.name })
			if table == "rejected_row" && c.name == "arrived_at" {
				continue // stored in whole seconds
			}
			if i < 0 {
				t.Errorf("%s has no column %s", table, c.name)
			} else if of := stored[i].Type; !slices.Contains(typesFor(c), of) &&
				!slices.Contains(typesFor(c), strings.TrimSuffix(strings.TrimPrefix(of, "Nullable("), ")")) {
				t.Errorf("%s.%s is %s, but its values need one of %v", table, c.name, of, typesFor(c))
			}
		}
	}
	for _, fact := range model.Facts {
		stored := columnsOf(fact.Table)
		find := func(name string) *tableColumn {
			if i := slices.IndexFunc(stored, func(c tableColumn) bool { return c.Name == name }); i >= 0 {
				return &stored[i]
			}
			return nil
		}
		void := find("void") != nil
		if key := find("natural_key"); (key != nil && key.Default == "ALIAS") == void {
			t.Errorf("%s: a table has the column natural_key, or it has void days and is counted by statements of "+
				"its own", fact.Table)
		}
		written := map[string]bool{"void": true, "natural_key": true}
		for _, c := range factTables[fact.Dataset.Topic()][fact.Kind].columns {
			written[c.name] = true
			into := find(c.name)
			if into == nil {
				t.Errorf("%s has no column %s", fact.Table, c.name)
				continue
			}
			want, of := typesFor(c), into.Type
			if inner, nullable := strings.CutPrefix(of, "Nullable("); nullable && void &&
				!strings.HasPrefix(want[0], "Nullable") {
				of = strings.TrimSuffix(inner, ")") // it is null on void days only
			}
			if !slices.Contains(want, of) {
				t.Errorf("%s.%s is %s, but its values need one of %v", fact.Table, c.name, into.Type, want)
			}
		}
		for _, c := range stored {
			if !written[c.Name] && !strings.HasSuffix(c.Comment, "not written any more") {
				t.Errorf("%s.%s is in no event", fact.Table, c.Name)
			}
		}
	}
}

func TestANumberThatDoesNotFitIntoItsColumnIsRefused(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ quota, equity, factor, want string }{
		{"1234.567891", "99999999999999.9999", `"1.000000001"`, ""},
		{"1234.5678910", "1e13", "null", ""},
		{"1234.5678911", "1", "null", "1234.5678911 does not fit into 18 digits with 6 decimals"},
		{"1000000000000", "1", "null", "1000000000000 does not fit into 18 digits with 6 decimals"},
		{"1", "100000000000000", "null", "100000000000000 does not fit into 18 digits with 4 decimals"},
		{"1", "-0.00001", "null", "-0.00001 does not fit into 18 digits with 4 decimals"},
		{"1", "1", `"1.0000000001"`, "1.0000000001 does not fit into 18 digits with 9 decimals"},
	} {
		text, err := json.Marshal(someQuota())
		if err != nil {
			t.Fatal(err)
		}
		event := map[string]json.RawMessage{}
		if err := json.Unmarshal(text, &event); err != nil {
			t.Fatal(err)
		}
		event["quota"], event["equity"] = json.RawMessage(`"`+one.quota+`"`), json.RawMessage(`"`+one.equity+`"`)
		event["adjustment_factor"] = json.RawMessage(one.factor)
		if text, err = json.Marshal(event); err != nil {
			t.Fatal(err)
		}
		_, err = factTables[model.Cartola.Topic()][onlyKind].decode(text)
		if told := fmt.Sprint(err); (one.want == "") != (err == nil) || err != nil && told != one.want {
			t.Errorf("%+v: %v", one, err)
		}
	}
}
