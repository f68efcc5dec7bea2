package bounded

import (
	"context"
	"errors"
	"testing"
)

func TestACacheKeepsAtMostItsBytes(t *testing.T) {
	c := OfBytes(1000, func(_ int, text string) int { return len(text) })
	text := string(make([]byte, 100))
	for key := range 100 {
		c.Keep(key, text)
	}
	c.kept.(library).CleanUp() // what is dropped is dropped in the background
	if c.Size() == 0 || c.Size() > 1000 {
		t.Errorf("the cache takes %d bytes", c.Size())
	}
	kept := 0
	for key := range 100 {
		if got, there := c.Known(key); there {
			kept++
			if got != text {
				t.Errorf("key %d has another value", key)
			}
		}
	}
	if kept == 0 || kept > 10 {
		t.Errorf("%d of 100 values are kept, with %d bytes", kept, c.Size())
	}
}

func TestKeysOfEqualTextAndOtherKindDiffer(t *testing.T) {
	type pair struct{ batch, kind string }
	c := OfEntries[pair, int](10)
	if !c.Keep(pair{"a", "b"}, 1) || !c.Keep(pair{"ab", ""}, 2) || c.Keep(pair{"a", "b"}, 3) {
		t.Error("only the first value of a key is the first")
	}
	if got, there := c.Known(pair{"a", "b"}); !there || got != 3 {
		t.Errorf("got %d, %t", got, there)
	}
	if got := c.KeepFirst(pair{"ab", ""}, 9); got != 2 {
		t.Errorf("the first value is %d", got)
	}
	c.Drop(pair{"ab", ""})
	if _, there := c.Known(pair{"ab", ""}); there {
		t.Error("a dropped value is kept")
	}
}

func TestAnErrorIsNotKept(t *testing.T) {
	c, failed := OfEntries[string, int](10), errors.New("failed")
	_, err := c.Get(t.Context(), "a", func(context.Context) (int, error) { return 5, failed })
	if !errors.Is(err, failed) {
		t.Errorf("the error is %v", err)
	}
	for range 2 {
		got, err := c.Get(t.Context(), "a", func(context.Context) (int, error) { return 7, nil })
		if got != 7 || err != nil {
			t.Errorf("got %d, %v", got, err)
		}
	}
}
