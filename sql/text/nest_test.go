package sqltext

import "testing"

func TestASubqueryThatIsReadOnceStandsInPlace(t *testing.T) {
	for text, want := range map[string]string{
		"WITH a AS (SELECT 1 AS x) SELECT x FROM a":              "SELECT x FROM (SELECT 1 AS x) AS a",
		"WITH a AS (SELECT 1 AS x) SELECT s.x FROM a AS s":       "SELECT s.x FROM (SELECT 1 AS x) AS s",
		"WITH a AS (SELECT 1 AS x) SELECT a, a.x FROM a WHERE x": "SELECT a, a.x FROM (SELECT 1 AS x) AS a WHERE x",
		"WITH 7 AS n, a AS (SELECT n), b AS (SELECT n FROM a) SELECT n FROM t JOIN b USING (n)": "WITH 7 AS n " +
			"SELECT n FROM t JOIN (SELECT n FROM (SELECT n) AS a) AS b USING (n)",
		"WITH a AS (SELECT 1), 7 AS n SELECT n FROM a": "WITH 7 AS n SELECT n FROM (SELECT 1) AS a",
		// A subquery with a WITH of its own, in which the name means another one.
		"WITH a AS (SELECT 1), b AS (WITH a AS (SELECT 2) SELECT 3 FROM a) SELECT 4 FROM a JOIN b ON true": "SELECT 4 " +
			"FROM (SELECT 1) AS a JOIN ( SELECT 3 FROM (SELECT 2) AS a) AS b ON true",
		"CREATE VIEW v AS WITH a AS (SELECT 1 -- one\n) SELECT 2 FROM a COMMENT 'FROM a'": "CREATE VIEW v AS SELECT 2 " +
			"FROM (SELECT 1 -- one ) AS a COMMENT 'FROM a'",
	} {
		got, err := Nested(text)
		if err != nil || words(got) != want {
			t.Errorf("%s\nis sent as\n%s\nwant\n%s (%v)", text, words(got), want, err)
		}
	}
}

func TestASubqueryWhosePlaceIsNotClearKeepsItsName(t *testing.T) {
	for _, text := range []string{
		"WITH a AS (SELECT 1) SELECT 2 FROM a JOIN a AS b ON true",                               // would run twice
		"WITH a AS (SELECT 1) SELECT 2 FROM b WHERE x IN a",                                      // is no table there
		"WITH a AS (SELECT 1) SELECT 2 FROM b WHERE x IN (SELECT y FROM a) OR x IN a",            // both
		"WITH 7 AS n, a AS (SELECT n) SELECT 2 FROM (WITH 8 AS n SELECT * FROM a)",               // n would be another one
		"WITH a AS (SELECT 1) SELECT 2 FROM a.b",                                                 // a database
		"WITH a AS (SELECT 1) SELECT 2 FROM a(x = 1)",                                            // a view with a parameter
		"WITH (SELECT 1) AS a SELECT a FROM b",                                                   // a value
		"WITH a AS (SELECT 1) SELECT 2 FROM (WITH a AS (SELECT 3), a IN a AS c SELECT c FROM a)", // another one
		"SELECT x FROM a GROUP BY x WITH TOTALS",
	} {
		if got, err := Nested(text); err != nil || got != text {
			t.Errorf("%s\nis sent as\n%s (%v)", text, got, err)
		}
	}
}
