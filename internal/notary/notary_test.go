package notary

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// failing is a source whose tables can't be read until they are mended. It counts the looks.
type failing struct {
	Source
	looks  int
	mended bool
}

func (f *failing) Whole(context.Context) (bool, error) {
	f.looks++
	if f.mended {
		return false, nil
	}
	return false, errors.New("the tables can't be read")
}

func TestLooksThatFailAreRepeatedLessAndLessOften(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		source := &failing{}
		n := New(dir, source, zerolog.Nop())
		must(t, n.Start())
		time.Sleep(time.Hour)
		synctest.Wait()
		// After 5, 10, 20 … seconds and then each 10 minutes; without longer pauses there are 720.
		if source.looks < 10 || source.looks > 14 {
			t.Errorf("in an hour a failing look is tried %d times", source.looks)
		}
		source.mended, source.looks = true, 0
		time.Sleep(longestLook + time.Minute)
		synctest.Wait()
		if source.looks < 12 {
			t.Errorf("in a minute after the tables were mended there are %d looks", source.looks)
		}
		must(t, n.Stop(t.Context()))
	})
}
