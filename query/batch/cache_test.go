package batch

import (
	"context"
	"errors"
	"testing"

	"cuota/model"
)

func TestAValueIsReadForOthersIfItsReaderIsGivenUp(t *testing.T) {
	c := NewCache(1 << 20)
	numbers, of, day := NewCached("numbers", func(int) int { return 8 }), &Batch{ID: "one"}, model.NewDate(2025, 6, 30)
	first, giveUp := context.WithCancel(t.Context())
	reading, failed, answered := make(chan struct{}), make(chan error, 1), make(chan int, 4)
	go func() {
		_, err := numbers.Get(first, c, of, day, func(ctx context.Context) (int, error) {
			close(reading)
			<-ctx.Done()
			return 0, ctx.Err()
		})
		failed <- err
	}()
	<-reading
	for range cap(answered) {
		go func() {
			value, err := numbers.Get(t.Context(), c, of, day, func(context.Context) (int, error) { return 7, nil })
			if err != nil {
				t.Error(err)
			}
			answered <- value
		}()
	}
	giveUp()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the first request has %v", err)
	}
	for range cap(answered) {
		if value := <-answered; value != 7 {
			t.Errorf("another request has %d", value)
		}
	}
}

func TestValuesOfOneKindAreThoseOfTheirBatchAndDay(t *testing.T) {
	c := NewCache(1 << 20)
	numbers, texts := NewCached("numbers", func(int) int { return 8 }), NewCached("texts", func(text string) int {
		return len(text)
	})
	one, two, day := &Batch{ID: "one"}, &Batch{ID: "two"}, model.NewDate(2025, 6, 30)
	if !numbers.Keep(c, one, day, 5) || numbers.Keep(c, one, day, 6) {
		t.Error("only the first value of a day is the first")
	}
	texts.Keep(c, one, day, "a")
	if value, there := numbers.Known(c, one, day); !there || value != 6 {
		t.Errorf("the day has %d, %t", value, there)
	}
	if _, there := numbers.Known(c, two, day); there {
		t.Error("the value of another batch is known")
	}
	if _, there := numbers.Known(c, one, day.AddDays(1)); there {
		t.Error("the value of another day is known")
	}
	if _, err := numbers.Get(t.Context(), c, two, day, func(context.Context) (int, error) {
		return 0, errors.New("no answer")
	}); err == nil {
		t.Error("a failed read has a value")
	}
	if value, err := numbers.Get(t.Context(), c, two, day, func(context.Context) (int, error) {
		return 9, nil
	}); err != nil || value != 9 {
		t.Errorf("after a failed read: %d, %v", value, err)
	}
}
