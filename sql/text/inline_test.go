package sqltext

import (
	"strings"
	"testing"
)

// viewsOf returns the views that statements create.
func viewsOf(t *testing.T, creates ...string) Views {
	t.Helper()
	known := Views{}
	for _, create := range creates {
		if err := known.Add(create); err != nil {
			t.Fatal(err)
		}
	}
	return known
}

// words is a statement in which all white space is a single blank.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestAViewThatIsReadStandsInPlace(t *testing.T) {
	known := viewsOf(t,
		"-- Days.\nCREATE OR REPLACE VIEW batch_day AS\nSELECT date FROM quote_day -- all\nWHERE batch = {batch:UInt64}",
		"CREATE OR REPLACE VIEW newest AS SELECT max(batch) AS batch FROM batch;",
		"CREATE OR REPLACE VIEW batch_week AS SELECT date FROM batch_day(batch = {at:UInt64}) WHERE date > "+
			"{after:Date} - 7",
		"CREATE OR REPLACE VIEW typed (a UInt8) AS SELECT 1",
		"CREATE OR REPLACE VIEW batch_then AS SELECT batch FROM batch WHERE at <= {at:DateTime64(3, 'UTC')}",
	)
	for text, want := range map[string]string{
		"SELECT 1 FROM batch_then(at = '2026-11-20')": "SELECT 1 FROM (SELECT batch FROM batch WHERE at " +
			"<= CAST('2026-11-20', 'DateTime64(3, ''UTC'')') ) AS batch_then",
		"SELECT 1 FROM batch_day(batch = {batch:UInt64})": "SELECT 1 FROM (SELECT date FROM quote_day -- all " +
			"WHERE batch = {batch:UInt64} ) AS batch_day",
		"SELECT 1 FROM batch_day(batch = 7) AS d, x": "SELECT 1 FROM (SELECT date FROM quote_day -- all " +
			"WHERE batch = CAST(7, 'UInt64') ) AS d, x",
		"SELECT 1 FROM a JOIN newest n ON true": "SELECT 1 FROM a JOIN (SELECT max(batch) AS batch " +
			"FROM batch ) n ON true",
		"SELECT 1 FROM newest WHERE a IN (SELECT 1 FROM newest)": "SELECT 1 FROM (SELECT max(batch) AS batch FROM " +
			"batch ) AS newest WHERE a IN (SELECT 1 FROM (SELECT max(batch) AS batch FROM batch ) AS newest)",
		"SELECT 1 FROM batch_week(at = {b:UInt64}, after = greatest({d:Date}, '2020-01-01'))": "SELECT 1 FROM " +
			"(SELECT date FROM (SELECT date FROM quote_day -- all WHERE batch = {b:UInt64} ) AS batch_day " +
			"WHERE date > CAST(greatest({d:Date}, '2020-01-01'), 'Date') - 7 ) AS batch_week",
		"SELECT 1 FROM batch_day(batch = {a:UInt64} + {b:UInt64})": "SELECT 1 FROM (SELECT date FROM quote_day -- " +
			"all WHERE batch = CAST({a:UInt64} + {b:UInt64}, 'UInt64') ) AS batch_day",
		"SELECT 1 FROM batch_day(batch = (SELECT 7))":          "SELECT 1 FROM batch_day(batch = (SELECT 7))",
		"SELECT 1 FROM typed":                                  "SELECT 1 FROM typed",
		"WITH newest AS (SELECT 1) SELECT 1 FROM newest":       "WITH newest AS (SELECT 1) SELECT 1 FROM newest",
		"SELECT 'FROM newest' FROM other -- JOIN newest":       "SELECT 'FROM newest' FROM other -- JOIN newest",
		"SELECT 'it''s FROM newest \\' )', 1 FROM typed -- '(": "SELECT 'it''s FROM newest \\' )', 1 FROM typed -- '(",
		"INSERT INTO newest (batch) SELECT batch FROM other":   "INSERT INTO newest (batch) SELECT batch FROM other",
	} {
		got, err := known.InPlace(text)
		if err != nil || words(got) != want {
			t.Errorf("%s gives\n%s, %v, want\n%s", text, words(got), err, want)
		}
	}
}

func TestACallThatDoesNotFitItsViewIsAnError(t *testing.T) {
	known := viewsOf(t, "CREATE OR REPLACE VIEW batch_day AS SELECT date FROM quote_day WHERE batch = {batch:UInt64}")
	for text, want := range map[string]string{
		"SELECT 1 FROM batch_day(batches = 7)": "parameter batch is " +
			"not given",
		"SELECT 1 FROM batch_day(batch = 7, date = '2020-01-01')": "2 arguments for 1 " +
			"parameters",
		"WITH 7 AS date SELECT 1 FROM batch_day(batch = date)": "the argument date " +
			"is a name",
		"WITH quote_day AS (SELECT 1) SELECT 1 FROM batch_day(batch = 7)": "it reads table " +
			"quote_day: give the subquery quote_day of the statement around it another name",
		"WITH x AS (WITH quote_day AS (SELECT 1) SELECT 1 FROM batch_day(batch = 7)) SELECT 1": "it reads table " +
			"quote_day",
	} {
		if got, err := known.InPlace(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %s, %v, want an error: %s", text, got, err, want)
		}
	}
}

func TestATextOfWhichSomethingDoesNotEndIsAnError(t *testing.T) {
	for text, want := range map[string]string{
		"SELECT 1 /* ; */":       "write comments with --",
		"SELECT 'a;":             "a text in ' has no closing quote",
		"SELECT `a\\`":           "a text in ` has no closing quote",
		"CREATE TABLE a (b Int8": "a bracket has no closing bracket",
		"SELECT 1);":             ") has no opening bracket",
	} {
		if got, err := (Views{}).InPlace(text); err == nil || err.Error() != want {
			t.Errorf("%s gives %s, %v, want an error: %s", text, got, err, want)
		}
	}
}
