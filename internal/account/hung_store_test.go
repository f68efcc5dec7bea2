package account

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

// hang makes each call of a store wait until answer returns its result; nil lets the call
// continue. asked counts the calls.
func hang(s *Store) (asked *atomic.Int64, answer func(error)) {
	asked = &atomic.Int64{}
	said := make(chan struct{})
	var says error
	s.reachable = func() error {
		asked.Add(1)
		<-said
		return says
	}
	return asked, func(err error) {
		says = err
		close(said)
	}
}

// waitingContext tells when somebody waits for it to end.
type waitingContext struct {
	context.Context
	waits func()
}

func (c waitingContext) Done() <-chan struct{} {
	c.waits()
	return c.Context.Done()
}

func TestWhoWaitsForAHungStoreWaitsOnceAndWithTheirOwnContext(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		const callers = 50
		s := openStore(t, db.dsn)
		leases := NewLeases(s)
		k := leased(t, s, leases, 15, Free) // uses one block up
		asked, answer := hang(s)
		waiting := make(chan struct{}, callers+1)
		ctx := waitingContext{testContext(t), func() { waiting <- struct{}{} }}
		outcomes := make(chan error, callers)
		for range callers {
			go func() {
				_, err := leases.Spend(ctx, k, noon)
				outcomes <- err
			}()
		}
		for range callers {
			select {
			case <-waiting:
			case <-testContext(t).Done():
				t.Fatal("a request waits for something else than its context")
			}
		}
		// One caller cancels, and must not have to wait for the store.
		impatient, leave := context.WithCancel(testContext(t))
		leave()
		if _, err := leases.Spend(impatient, k, noon); !errors.Is(err, context.Canceled) {
			t.Errorf("who went away got %v", err)
		}
		broken := errors.New("the disk is gone")
		answer(broken)
		for range callers {
			if err := <-outcomes; !errors.Is(err, broken) {
				t.Errorf("a request got %v", err)
			}
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("%d requests asked the store, want one for all of them", n)
		}
	})
}

func TestWhatIsAtHandCanBeSpentWhileTheUsageIsRead(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		leases := NewLeases(s)
		k := leased(t, s, leases, 3, Free)
		asked, answer := hang(s)
		read := make(chan Usage)
		go func() {
			usage, err := leases.Usage(testContext(t), k, noon)
			if err != nil {
				t.Error(err)
			}
			read <- usage
		}()
		for asked.Load() == 0 {
			runtime.Gosched()
		}
		spent := make(chan Usage, 1)
		go func() {
			usage, err := leases.Spend(testContext(t), k, noon)
			if err != nil {
				t.Error(err)
			}
			spent <- usage
		}()
		select {
		case usage := <-spent:
			if !usage.Allowed || usage.Used != 4 {
				t.Errorf("%+v", usage)
			}
		case <-testContext(t).Done():
			t.Error("a request waits for what it does not need")
		}
		answer(nil)
		if usage := <-read; usage.Used != 4 { // read after the request was spent
			t.Errorf("%+v", usage)
		}
	})
}

func TestALeaseUnderWayIsGivenBackWhenTheLeasesStop(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		leases := NewLeases(s)
		k := leased(t, s, leases, 15, Free) // uses one block up
		asked, answer := hang(s)
		impatient, leave := context.WithCancel(testContext(t))
		gone := make(chan error)
		go func() {
			_, err := leases.Spend(impatient, k, noon)
			gone <- err
		}()
		for asked.Load() == 0 {
			runtime.Gosched()
		}
		leave()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("who went away got %v", err)
		}
		stopped := make(chan error)
		go func() { stopped <- leases.Stop(testContext(t)) }()
		answer(nil)
		check(t, <-stopped)
		// The request of the caller that cancelled may have been allowed, so it stays counted.
		if usage, err := s.Usage(testContext(t), k, noon); err != nil || usage.Used != 16 {
			t.Errorf("%+v, %v", usage, err)
		}
	})
}
