package agent_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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
	t.Logf("%d questions; the longest answer has %d bytes", len(all), largest)
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
