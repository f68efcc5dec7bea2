package model

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// foundBy returns what a search finds, as "RUN serie", by index.
func foundBy(x *SearchIndex, s Search) string {
	var found []string
	x.Find(s, func(i int, _ Likeness) {
		found = append(found, x.funds[x.series[i].fund].number+strings.ToUpper(x.series[i].name))
	})
	return strings.Join(found, " ")
}

func TestASearchFindsTheNotationOfTheREADMESynonymsAndTypos(t *testing.T) {
	x := &SearchIndex{}
	for _, of := range []struct{ fund, run, serie, id, category, kind string }{
		{"FONDO MUTUO BANCHILE FOCUS", "9809-4", "A", "11", "equity", ""},
		{"FONDO MUTUO BANCHILE FOCUS", "9809-4", "B", "1161378270", "equity", ""},
		{"LARRAINVIAL ACCIONARIO EEUU", "9810-8", "B", "13", "equity", ""},
		{"BCI USA", "9811-6", "P", "14", "equity", KindPension},
		{"BICE ACCIONARIO EE.UU.", "9812-4", "APV-1", "15", "equity", ""},
		{"SURA ESTADOS UNIDOS", "9813-2", "C", "16", "equity", ""},
		{"BICE MANAGER", "9814-0", "C", "17", "money_market", ""},
	} {
		x.Add(of.fund, of.run, of.serie, of.id)
		x.Mark(of.category, of.kind)
	}
	const states = "9810B 9811P 9812APV-1 9813C"
	for _, c := range []struct{ text, exact, synonyms, typos string }{
		// found since long
		{"9809-4 B", "9809B", "9809B", "9809B"},
		{"9809-4-B", "9809B", "9809B", "9809B"},
		{"focus b", "9809B", "9809B", "9809B"},
		{"1161378270", "9809B", "9809B", "9809B"},
		// joined by a mark
		{"focus-b", "", "9809B", "9809B"},
		{"9809-4/B", "", "9809B", "9809B"},
		{"serie-b focus", "", "9809B", "9809B"},
		// synonyms
		{"ee.uu.", "9812APV-1", states, states},
		{"EEUU", "9810B", states, states},
		{"usa", "9811P", states, states},
		{"Estados Unidos", "9813C", states, states},
		{"larraín vial", "9810B", "9810B", "9810B"},
		{"larrain vial usa", "", "9810B", "9810B"},
		{"mercado monetario", "", "9814C", "9814C"},
		{"liquidez bice", "", "9814C", "9814C"},
		{"apv", "9812APV-1", "9811P 9812APV-1", "9811P 9812APV-1"},
		{"ahorro previsional voluntario", "", "9811P 9812APV-1", "9811P 9812APV-1"},
		// typos
		{"focis", "", "", "9809A 9809B"},
		{"fous b", "", "", "9809B"},
		{"foccus", "", "", "9809A 9809B"},
		{"focsu", "", "", "9809A 9809B"},
		{"mercado monetraio", "", "", "9814C"},
		{"fcosu", "", "", ""},  // two typos
		{"bise", "", "", ""},   // a word of four letters
		{"9890-4", "", "", ""}, // a number
	} {
		s := NewSearch(c.text)
		for is, want := range map[string]string{"exact " + foundBy(x, s): c.exact,
			"synonyms " + foundBy(x, s.WithSynonyms()): c.synonyms, "typos " + foundBy(x, s.WithTypos()): c.typos} {
			if _, got, _ := strings.Cut(is, " "); got != want {
				t.Errorf("%q, %s, want %q", c.text, is, want)
			}
		}
	}
}

func TestASearchFindsNamesByTheirSynonyms(t *testing.T) {
	for text, name := range map[string]string{"mercado monetario": "Money market", "ee.uu.": "Accionario EEUU",
		"larrain vial": "LARRAINVIAL ASSET MANAGEMENT", "usa": "Accionario EEUU"} {
		if !NewSearch(text).WithSynonyms().FindsName(name) {
			t.Errorf("%q does not find %q", text, name)
		}
	}
}

// distance is the number of letters to insert, delete, replace or swap with their neighbour, by its definition.
func distance(a, b []rune) int {
	switch {
	case len(a) == 0 || len(b) == 0:
		return len(a) + len(b)
	case a[0] == b[0]:
		return distance(a[1:], b[1:])
	}
	least := min(distance(a[1:], b), distance(a, b[1:]), distance(a[1:], b[1:]))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, distance(a[2:], b[2:]))
	}
	return 1 + least
}

func TestAWordIsNearIfItsDistanceIsAtMostOne(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(length int) []rune {
		letters := make([]rune, length)
		for i := range letters {
			letters[i] = []rune("abñ")[random.IntN(3)] // few letters, so that words are often near
		}
		return letters
	}
	counts := map[bool]int{}
	for range 20_000 {
		written, meant := word(3+random.IntN(5)), word(4+random.IntN(4))
		want := len(meant) >= 5 && distance(written, meant) <= 1
		if got := isNear(string(written), string(meant)); got != want {
			t.Fatalf("%s is near %s: %v, want %v", string(written), string(meant), got, want)
		}
		counts[want]++
	}
	if counts[true] < 100 || counts[false] < 100 {
		t.Errorf("the words say little: %v", counts)
	}
}

func TestASearchWithSynonymsFindsAllThatTheTextFinds(t *testing.T) {
	x, words := bigIndex(), []string{"fondo", "usa", "ee.uu.", "apv", "9100-b", "b", "serie", "run", "9001", "renta-a",
		"ddf92f33-386c", "é", "liquidez", "-", "larrain", "vial", "acc"}
	random := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		var said []string
		for range 1 + random.IntN(3) {
			said = append(said, words[random.IntN(len(words))])
		}
		text := strings.Join(said, " ")
		more := map[int]bool{}
		x.Find(NewSearch(text).WithSynonyms(), func(i int, _ Likeness) { more[i] = true })
		x.Find(NewSearch(text), func(i int, _ Likeness) {
			if !more[i] {
				t.Errorf("%q finds %d, but not with synonyms", text, i)
			}
		})
	}
}

// bigIndex has 3,000 series of 600 funds.
func bigIndex() *SearchIndex {
	x, kinds := &SearchIndex{}, []string{"ACCIONARIO EEUU", "RENTA FIJA LIQUIDEZ", "BALANCEADO USA", "DEUDA CORPORATIVA"}
	for fund := range 600 {
		for serie := range 5 {
			x.Add(fmt.Sprintf("FONDO MUTUO %s NÚMERO %d", kinds[fund%len(kinds)], fund), fmt.Sprintf("%d-4", 9000+fund),
				string(rune('A'+serie)), fmt.Sprint(fund*5+serie))
		}
	}
	return x
}

func TestASearchOfAMarketTakesMilliseconds(t *testing.T) {
	x, best := bigIndex(), time.Hour
	for range 20 {
		begin := time.Now()
		x.Find(NewSearch("corporatvia banlanceado fondo estados unidos").WithTypos(), func(int, Likeness) {})
		best = min(best, time.Since(begin))
	}
	if best > 20*time.Millisecond {
		t.Errorf("the fastest of 20 searches took %v", best)
	}
	t.Log(best)
}
