// Package cookbook_test runs the questions of the cookbook and holds their answers against the
// files in results.
package cookbook_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"cuota/demo/synth"
	"cuota/internal/embedded/clickhouse/clickhousetest"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
	"cuota/model"
	"cuota/sql"
)

var update = flag.Bool("update", false, "write the results and the pages of the cookbook anew")

func TestMain(m *testing.M) { os.Exit(clickhousetest.Main(m)) }

// The synthetic market of the cookbook. README.md gives the same numbers to cuota synth.
var synthetic = synth.Config{Series: 200, Days: 1857, Seed: 14, End: model.NewDate(2025, time.June, 30),
	Bad: synth.DefaultBad}

// When the batch of the synthetic market was published, and the one with the corrections.
var (
	published = time.Date(2025, time.July, 1, 12, 0, 0, 0, time.UTC)
	corrected = time.Date(2025, time.July, 2, 12, 0, 0, 0, time.UTC)
)

// database is a market as people see it.
type database struct {
	conn  driver.Conn
	funds string // name of the database for people
}

func TestEveryQuestionOfTheCookbookHasItsAnswer(t *testing.T) {
	longtest.InTurns(t)
	questions := readQuestions(t)
	files := filepath.Join(t.TempDir(), "market")
	markets := map[string]database{
		"demo":      asPeople(t, demotest.Published(t)),
		"synthetic": asPeople(t, syntheticMarket(t, files)),
	}
	t.Run("the history of one series reads at most a hundred times what it is made of", func(t *testing.T) {
		readsBySeries(t, markets["synthetic"])
	})
	t.Run("total returns of some series are those among all", func(t *testing.T) {
		totalsOfSome(t, markets["synthetic"])
	})
	answers := map[string]table{}
	t.Run("every question has the answer that its file shows", func(t *testing.T) {
		for _, q := range questions {
			answers[q.name] = markets[q.market].ask(t, q.sql)
			if len(answers[q.name].rows) == 0 {
				t.Errorf("%s has no answer", q.name)
			}
			golden(t, filepath.Join("results", q.name+".tsv"), answers[q.name].tsv())
		}
	})
	if t.Failed() {
		return
	}
	t.Run("answers of the demo are those that its files give", func(t *testing.T) { demoAnswers(t, answers) })
	t.Run("answers of the synthetic market are those that its days give", func(t *testing.T) {
		syntheticAnswers(t, markets["synthetic"], files, answers)
	})
	t.Run("every difference to the regulator has a cause or is within the tolerance", func(t *testing.T) {
		reconciled(t, markets)
	})
	t.Run("the pages show the questions and their answers", func(t *testing.T) {
		pages(t, questions, answers, markets)
	})
}

// syntheticMarket writes the synthetic market. It builds a batch with its corrections, and before it
// one without them.
func syntheticMarket(t *testing.T, dir string) *clickhouse.Options {
	t.Helper()
	if _, err := synth.Write(t.Context(), dir, synthetic, nil); err != nil {
		t.Fatal(err)
	}
	m := demotest.New(t)
	for i, now := range []time.Time{published, corrected} {
		m.SetClock(now)
		m.IngestMarket(t, dir, []time.Time{{}, published}[i], now)
		m.Build(t)
	}
	return m.Options
}

// asPeople connects as the user people, whose limits hold for every question.
func asPeople(t *testing.T, options *clickhouse.Options) database {
	t.Helper()
	person := *options
	funds := sql.PeoplesDatabase(options.Auth.Database)
	person.Auth, person.Settings = clickhouse.Auth{Database: funds, Username: "people"}, nil
	conn, err := clickhouse.Open(&person)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return database{conn, funds}
}

// question is one file of the cookbook.
type question struct {
	name                           string // of the file, without .sql
	title, answer, caveats, market string
	sql                            string // the whole file
}

var (
	fileName = regexp.MustCompile(`^[0-9]{2}_[a-z0-9_]+\.sql$`)
	header   = regexp.MustCompile(
		`(?s)\A-- (.+\?)\n--\n-- Answer: (.+\.)\n-- Caveats: (.+\.)\n-- Market: (demo|synthetic)\n((?:WITH|SELECT)\b.+)\z`)
)

func readQuestions(t *testing.T) (questions []question) {
	t.Helper()
	paths, err := filepath.Glob("*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		if !fileName.MatchString(path) || path[:2] != strconv.Itoa(100 + i + 1)[1:] {
			t.Fatalf("%s is not the question with the number %d", path, i+1)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := header.FindStringSubmatch(string(text))
		if found == nil {
			t.Fatalf("%s does not begin with a question, its answer, caveats and market: copy the head of another file",
				path)
		}
		q := question{name: strings.TrimSuffix(path, ".sql"), title: plain(found[1]), answer: plain(found[2]),
			caveats: plain(found[3]), market: found[4], sql: string(text)}
		questions = append(questions, q)
	}
	if len(questions) < 40 {
		t.Fatalf("only %d questions", len(questions))
	}
	return questions
}

// plain joins the lines of a comment.
func plain(comment string) string { return strings.ReplaceAll(comment, "\n-- ", " ") }

var theirDatabase = regexp.MustCompile(`\bfunds\.(\w)`)

// ask runs a statement that names the database for people funds, as it is called unless an
// operator chooses another name.
func (d database) ask(t *testing.T, statement string) table {
	t.Helper()
	rows, err := d.conn.Query(t.Context(), theirDatabase.ReplaceAllString(statement, d.funds+".$1"))
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, statement)
	}
	return read(t, rows)
}

// golden compares a text with a file, or writes the file if the test is run with -update.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("%v: run go test ./docs/cookbook -update", err)
		return
	}
	if string(want) != text {
		t.Errorf("%s is not what this gives: run go test ./docs/cookbook -update and review the diff\n%s", path, text)
	}
}
