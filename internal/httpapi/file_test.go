package httpapi

import "testing"

func TestOneKeyTakesOnlyAPartOfThePlacesForFiles(t *testing.T) {
	var places filePlaces
	taken := 0
	for places.enter("one") {
		taken++
	}
	if taken != filesOfAKey {
		t.Errorf("one key took %d places, want %d", taken, filesOfAKey)
	}
	for _, key := range []string{"two", "three", "four", "five", "six"} {
		for places.enter(key) {
			taken++
		}
	}
	if taken != filesAtOnce {
		t.Errorf("all keys took %d places, want %d", taken, filesAtOnce)
	}
	places.leave("one")
	first, second := places.enter("one"), places.enter("one")
	if !first || second {
		t.Errorf("a place that was left was taken %t and %t, want once", first, second)
	}
	for range filesOfAKey {
		places.leave("one")
	}
	if _, kept := places.ofKey["one"]; kept {
		t.Error("a key without files is kept")
	}
}
