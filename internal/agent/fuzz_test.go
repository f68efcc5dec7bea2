package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a model sends, arguments are read or refused with a short text, and what is taken keeps to its bounds.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"series":["9809-4 B"],"figures":["return"],"window":"1 año"}`,
		`{"series":"9809","from":"2024-01-02","to":"2025-06-30"}`,
		`{"sort":"1y","currency":"clp","fields":["tac",null]}`, `{"family":{}}`, `[]`, `null`, ``, `{"series":[[[]]]}`,
		`{"limit":1e99}`,
		`{"limit":-1,"offset":9223372036854775807}`, `{"query":"\ud800"}`,
		`{"sort":"1m","filter":{"currency":"dólares"},"top":1}`,
		`{"filter":{"category":[]}}`, `{"` + strings.Repeat("a", 300) + `":1}`, "{\"series\":\"\x00\"}",
		`{"window":"all"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		refused := func(err error) {
			if told := explain(err); len(told) > 4000 || utf8.ValidString(text) && !utf8.ValidString(told) {
				t.Errorf("%q is refused with %q", text, told)
			}
		}
		var asked askArguments
		if err := readArguments(json.RawMessage(text), &asked); err != nil {
			refused(err)
		} else if q, err := newQuestion(asked); err != nil {
			refused(err)
		} else if len(q.series) == 0 || len(q.series) > maxAsked || len(q.figures) == 0 ||
			len(q.windows) > len(windowWords) ||
			(len(q.windows) == 0) != (q.from != "") {
			t.Errorf("%q is read as %+v", text, q)
		}
		var screened screenArguments
		if err := readArguments(json.RawMessage(text), &screened); err != nil {
			refused(err)
		} else if screen, fields, err := newScreen(screened); err != nil {
			refused(err)
		} else if screen.Limit < 1 || screen.Limit > 200 || screen.Offset < 0 || len(fields) == 0 ||
			len(screen.Fields) > 50 {
			t.Errorf("%q is read as %+v", text, screen)
		}
		if _, err := newStrategy(json.RawMessage(text)); err != nil {
			refused(err)
		}
	})
}

// Whatever a server sends as rows, they fit into an answer.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{
		"[\"a\"]\n[\"UInt8\"]\n[1]\n[2]\n", "[\"a\"]\n", "", "Code: 60. DB::Exception",
		"[\"a\"]\n[\"UInt8\"]\n[1]\nCode: 241. memory\n",
		"[1]\n[2]\n[3]\n", "[\"a\"]\n[\"String\"]\n[\"" + strings.Repeat("x", 20_000) + "\"]\n",
		"[\"a\"]\n[\"UInt8\"]\n" + strings.Repeat("[1]\n", 1000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := readTable(strings.NewReader(text))
		if err != nil {
			return
		}
		if len(rows.rows) > maxRows {
			t.Errorf("%d rows are read", len(rows.rows))
		}
		answer, err := rows.answer(origin{BatchID: "b", AsOfDate: "2025-07-20"})
		if err == nil && (len(answer) > maxAnswer || !json.Valid([]byte(answer))) {
			t.Errorf("%q is answered with %d bytes: %.200s", text, len(answer), answer)
		}
	})
}

func TestANameThatIsAlmostRightIsFound(t *testing.T) {
	families := []string{
		"Balanceado agresivo",
		"Balanceado moderado",
		"Accionario nacional",
		"Deuda < 90 dias nacional",
		"Deuda < 365 dias nacional en uf",
		"Deuda > 365 dias nacional inversion en uf > 5 anos",
	}
	for text, want := range map[string]string{"balanceado agresibo": "Balanceado agresivo",
		"nacional acciones": "Accionario nacional",
		"deuda 90 días":     "Deuda < 90 dias nacional", "moderado": "Balanceado moderado"} {
		if got := nearest(text, families, 1); len(got) != 1 || got[0] != want {
			t.Errorf("%q finds %q, want %s", text, got, want)
		}
	}
	if got := nearest("xyz", families, 5); got != nil {
		t.Errorf("xyz finds %q", got)
	}
}

func TestNoWordStandsForTwoValues(t *testing.T) {
	for name, list := range map[string]words{"window": windowWords, "figures": figureWords, "currency": currencyWords,
		"category": categoryWords, "valuation": valuationWords, "order": orderWords, "kind": kindWords,
		"fields": columnWords,
		"sort":   sortWords} {
		seen := map[string]string{}
		for _, each := range list {
			for _, other := range append([]string{fold(each.value)}, each.others...) {
				if other != fold(other) {
					t.Errorf("%s: %q is not folded", name, other)
				}
				if before, twice := seen[other]; twice && before != each.value {
					t.Errorf("%s: %q is %s and %s", name, other, before, each.value)
				}
				seen[other] = each.value
			}
		}
	}
}
