package account

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Leases answers for a Store to a server with many requests a second. It
// remembers verified keys for a moment, and counts requests in small blocks, so
// that most requests never reach the database.
//
// A key never passes its quota: a block is counted in the store before any of it
// is spent. What is not spent is given back once the key rests, and when the
// leases stop; where that fails, and of a server that was killed, it stays
// counted, at most a twentieth of what the key had left. A key that this store revokes is refused
// at once, one revoked elsewhere within verifiedFor.
type Leases struct {
	store *Store
	now   func() time.Time

	mu     sync.Mutex
	known  map[string]*lease // by the digest of the key as presented
	leases map[string]*lease // the same, by the id of the key

	stop    chan struct{}
	stopped chan struct{}
}

const (
	// verifiedFor is how long a key is taken for what it was.
	verifiedFor = time.Second
	// restAfter is how long a key must not be used for its lease to end.
	restAfter = 2 * time.Second
	// sweepEvery is how often leases of resting keys are looked for.
	sweepEvery = time.Second
	// The most requests that are counted ahead: of a key with a quota, a
	// twentieth of what it has left.
	largestBlock   = 256
	shareOfTheRest = 20
)

// lease is what is at hand of one key.
type lease struct {
	digest      string
	mu          sync.Mutex
	ended       bool // it is not among the leases any more
	key         Key
	verified    time.Time // when the store said what key is
	revocations uint64    // of the store, before it said so
	lastUsed    time.Time

	day  string // of the counts below, a Santiago date
	used int64  // counted in the store when it was last asked, left included
	left int64  // of these, not spent yet
}

// NewLeases makes leases on a store, which stays the caller's to close.
func NewLeases(store *Store) *Leases {
	return &Leases{store: store, now: time.Now, known: map[string]*lease{}, leases: map[string]*lease{}}
}

// Start begins to give back what resting keys have leased.
func (l *Leases) Start() {
	l.stop, l.stopped = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(l.stopped)
		ticker := time.NewTicker(sweepEvery)
		defer ticker.Stop()
		for {
			select {
			case <-l.stop:
				return
			case <-ticker.C:
				// What can't be given back is lost; see end.
				_ = l.endLeases(context.Background(), func(known *lease) bool { return l.now().Sub(known.lastUsed) >= restAfter })
			}
		}
	}()
}

// Stop gives back everything that is leased. Requests may go on; each then
// leases anew.
func (l *Leases) Stop(ctx context.Context) error {
	if l.stop != nil {
		close(l.stop)
		<-l.stopped
		l.stop = nil
	}
	return l.endLeases(ctx, func(*lease) bool { return true })
}

// Authenticate is that of the store, or what it said less than verifiedFor ago.
func (l *Leases) Authenticate(ctx context.Context, presented string) (Key, error) {
	if !WellFormed(presented) {
		return Key{}, ErrInvalidKey
	}
	digest := l.store.digest(presented)
	l.mu.Lock()
	known := l.known[digest]
	l.mu.Unlock()
	now, revocations := l.now(), l.store.revocations.Load()
	if known != nil {
		known.mu.Lock()
		key, fresh := known.key, known.revocations == revocations && now.Sub(known.verified) < verifiedFor
		known.mu.Unlock()
		if fresh {
			return key, nil
		}
	}
	key, err := l.store.Authenticate(ctx, presented)
	if err != nil {
		return Key{}, err
	}
	l.mu.Lock()
	if known = l.known[digest]; known == nil {
		known = &lease{digest: digest, lastUsed: now}
		l.known[digest], l.leases[key.ID] = known, known
	}
	l.mu.Unlock()
	known.mu.Lock()
	known.key, known.verified, known.revocations = key, now, revocations
	known.mu.Unlock()
	return key, nil
}

// Spend is that of the store, mostly from a block that was counted before.
func (l *Leases) Spend(ctx context.Context, k Key, at time.Time) (Usage, error) {
	known := l.of(k)
	if known == nil { // it has rested since
		return l.store.Spend(ctx, k, at)
	}
	defer known.mu.Unlock()
	known.lastUsed = l.now()
	limit, day := k.enforcedQuota(), l.store.calendar.date(at)
	switch {
	case day < known.day: // it came before midnight, and others were faster
		return l.store.Spend(ctx, k, at)
	case day > known.day:
		if known.left > 0 { // an error costs the past day what a kill would
			_ = l.store.giveBack(ctx, k.ID, known.day, known.left)
		}
		known.day, known.used, known.left = day, 0, 0
	}
	if known.left == 0 {
		allowed, err := l.extend(ctx, known, k, limit)
		if err != nil {
			return Usage{}, fmt.Errorf("count a request: %w", err)
		}
		if !allowed {
			return l.store.usage(limit, known.used, false, at), nil
		}
	}
	known.left--
	return l.store.usage(limit, known.used-known.left, true, at), nil
}

// of gives the lease of a key, locked, or nil.
func (l *Leases) of(k Key) *lease {
	l.mu.Lock()
	known := l.leases[k.ID]
	l.mu.Unlock()
	if known == nil {
		return nil
	}
	known.mu.Lock()
	if known.ended {
		known.mu.Unlock()
		return nil
	}
	return known
}

// extend leases another block, or a single request where a block is refused.
func (l *Leases) extend(ctx context.Context, known *lease, k Key, limit *int64) (allowed bool, err error) {
	ctx, cancel, err := l.store.begin(ctx)
	if err != nil {
		return false, err
	}
	defer cancel()
	block := int64(largestBlock)
	if limit != nil {
		block = max(1, min(block, (*limit-known.used)/shareOfTheRest))
	}
	for {
		used, allowed, err := l.store.lease(ctx, k, known.day, block)
		if err != nil {
			return false, err
		}
		known.used = used
		if allowed {
			known.left = block
			return true, nil
		}
		if block == 1 {
			return false, nil
		}
		block = 1
	}
}

// Usage is that of the store, less what is leased here and not spent.
func (l *Leases) Usage(ctx context.Context, k Key, at time.Time) (Usage, error) {
	known := l.of(k)
	if known == nil {
		return l.store.Usage(ctx, k, at)
	}
	defer known.mu.Unlock() // nothing is leased in between
	usage, err := l.store.Usage(ctx, k, at)
	if err != nil || known.day != l.store.calendar.date(at) {
		return usage, err
	}
	limit, used := k.enforcedQuota(), usage.Used-known.left
	return l.store.usage(limit, used, limit == nil || used < *limit, at), nil
}

// endLeases gives back what the leases that it is to end have left.
func (l *Leases) endLeases(ctx context.Context, ends func(*lease) bool) error {
	l.mu.Lock()
	all := slices.Collect(maps.Values(l.leases))
	l.mu.Unlock()
	var errs []error
	for _, known := range all {
		errs = append(errs, l.end(ctx, known, ends))
	}
	return errors.Join(errs...)
}

// end takes what is left from a lease before it gives it back. After an error
// nobody knows whether the store has it back: given back twice it would let the
// key pass its quota, so it is lost, as with a server that was killed.
func (l *Leases) end(ctx context.Context, known *lease, ends func(*lease) bool) error {
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.ended || !ends(known) {
		return nil
	}
	rest := known.left
	known.left, known.ended = 0, true
	l.mu.Lock()
	delete(l.known, known.digest)
	delete(l.leases, known.key.ID)
	l.mu.Unlock()
	if rest == 0 {
		return nil
	}
	return l.store.giveBack(ctx, known.key.ID, known.day, rest)
}
