package agent_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"cuota/client"
	"cuota/internal/testkit/demotest"
	"cuota/internal/testkit/longtest"
)

var update = flag.Bool("update", false, "write testdata/golden.json anew")

// batchID stands in golden answers for the batch of the test.
const batchID = "BATCH"

// maxAnswer bounds each answer, in bytes.
const maxAnswer = 10_000

func TestGoldenQuestionsHaveTheAnswersOfTheFiles(t *testing.T) {
	longtest.InTurns(t)
	t.Parallel()
	all := golden(t)
	market := demotest.New(t)
	market.IngestDemo(t)
	market.Build(t)
	s := newService(t, market)
	inMemory, overHTTP := s.inMemory(t), s.overHTTP(t, s.key)
	largest := 0
	for i, q := range all {
		t.Run(fmt.Sprintf("%03d %s", i+1, q.Question), func(t *testing.T) {
			text := q.ask(t, inMemory)
			largest = max(largest, len(text))
			if i%5 == 0 {
				if again := q.ask(t, overHTTP); again != text {
					t.Errorf("over HTTP the answer is\n%s\nand not\n%s", again, text)
				}
			}
		})
	}
	t.Run("what an answer leaves out comes with the offset that it tells", func(t *testing.T) {
		s.pagesAreWhole(t, inMemory)
	})
	t.Logf("%d questions; the longest answer has %d bytes", len(all), largest)
}

// pagesAreWhole asks for a long list until nothing is left, and compares it with the pages of the client.
func (s *service) pagesAreWhole(t *testing.T, session *mcp.ClientSession) {
	t.Helper()
	api, err := client.New(s.address, client.WithKey(s.key))
	must(t, err)
	var want, got []any
	for page, err := range api.Pages(t.Context(), client.Screen{Category: "balanced", Limit: 150,
		Fields: []string{"serie"}}) {
		must(t, err)
		for _, series := range page.Series {
			want = append(want, series.ID)
		}
	}
	arguments := map[string]any{"category": "mixto", "limit": 200, "fields": []string{"family", "manager", "1y", "tac"}}
	calls := 0
	for calls = 1; ; calls++ {
		text, failed := call(t, session, "screen", arguments)
		var answer map[string]any
		if failed || len(text) > maxAnswer || json.Unmarshal([]byte(text), &answer) != nil {
			t.Fatal(text)
		}
		for _, row := range answer["rows"].([]any) {
			got = append(got, row.([]any)[0])
		}
		if answer["left"] == nil {
			break
		}
		var more, offset int
		var batch string
		_, err := fmt.Sscanf(answer["left"].(string), "%d more: call again with offset %d and batch_id %s", &more,
			&offset,
			&batch)
		must(t, err)
		if offset+more != len(want) || offset != len(got) {
			t.Fatalf("after %d of %d rows: %s", len(got), len(want), answer["left"])
		}
		arguments["offset"], arguments["batch_id"] = offset, batch
	}
	if !slices.Equal(got, want) || len(want) < 600 || calls < 5 {
		t.Errorf("%d series in %d calls, want %d", len(got), calls, len(want))
	}
}

// golden returns the questions in the file, after comparing them with what the files of the demo say now.
func golden(t *testing.T) (all []question) {
	t.Helper()
	const path = "testdata/golden.json"
	var made bytes.Buffer
	encoder := json.NewEncoder(&made)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "\t")
	must(t, encoder.Encode(questions(t, readFiles(t))))
	if *update {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(path, made.Bytes(), 0o644))
	}
	text, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(text, made.Bytes()) {
		t.Errorf("%s is not what the files of the demo say: run with -update, and review it", path)
	}
	must(t, json.Unmarshal(text, &all))
	asked := map[string]bool{}
	for _, q := range all {
		if asked[q.Question] {
			t.Errorf("asked twice: %s", q.Question)
		}
		asked[q.Question] = true
	}
	if len(all) < 200 {
		t.Errorf("there are %d questions, want 200: %v", len(all), tools(all))
	}
	return all
}

// ask asks a question and fails the test if the answer is not the known one.
func (q question) ask(t *testing.T, session *mcp.ClientSession) string {
	t.Helper()
	text, failed := call(t, session, q.Tool, q.Arguments)
	if failed != (len(q.Teaches) > 0) || len(text) > maxAnswer {
		t.Fatalf("%s %v: failed is %v, %d bytes: %s", q.Tool, q.Arguments, failed, len(text), text)
	}
	for _, part := range q.Teaches {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in the error: %s", part, text)
		}
	}
	if failed {
		return text
	}
	var answer map[string]any
	must(t, json.Unmarshal([]byte(text), &answer))
	for _, name := range []string{"batch_id", "as_of_date", "source"} {
		if value, is := answer[name].(string); !is || value == "" {
			t.Errorf("the answer has no %s: %s", name, text)
		}
	}
	for path, want := range q.Want {
		if want == batchID {
			want = answer["batch_id"]
		}
		if got := at(answer, path); !same(got, want) {
			t.Errorf("%s is %v, want %v: %s", path, got, want, text)
		}
	}
	return text
}

// at returns a value of an answer by its path; a text that no answer has if there is none.
func at(answer any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		switch of := answer.(type) {
		case map[string]any:
			value, is := of[name]
			if !is {
				return "missing"
			}
			answer = value
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(of) {
				return "missing"
			}
			answer = of[i]
		default:
			return "missing"
		}
	}
	return answer
}

// same compares numbers to nine digits, and other values exactly.
func same(got, want any) bool {
	a, is := got.(float64)
	b, too := want.(float64)
	if !is || !too {
		return got == want
	}
	return math.Abs(a-b) <= 1e-9*math.Max(1e-3, math.Abs(b))
}
