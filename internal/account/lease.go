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
// counted, at most a twentieth of what the key had left. A key that this store
// revokes is refused at once, one revoked elsewhere within verifiedFor.
type Leases struct {
	store *Store
	now   func() time.Time

	mu     sync.Mutex
	known  map[string]*lease // by the digest of the key as presented
	leases map[string]*lease // the same, by the id of the key

	stop    chan struct{}
	stopped chan struct{}
	hurry   context.CancelFunc // ends what the sweep is doing
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

// lease is what is at hand of one key. Its mutex is never held while the
// database is asked.
type lease struct {
	digest      string
	mu          sync.Mutex
	ended       bool // it is not among the leases any more
	key         Key
	verified    time.Time // when the store said what key is
	revocations uint64    // of the store, before it said so
	lastUsed    time.Time

	day    string     // of the counts below, a Santiago date
	used   int64      // counted in the store when it was last asked, left included
	left   int64      // of these, not spent yet
	blocks uint64     // how often used and left were set
	more   *extension // under way, of that day; nil: none
}

// extension is one more block on its way from the store. Whoever finds nothing
// at hand waits for it, and shares its refusal or its error. One request of the
// block is set aside for the caller who began it.
type extension struct {
	done    chan struct{} // closed when the rest is known
	used    int64         // with the caller's own, without what it leaves at hand
	allowed bool
	err     error
}

// NewLeases makes leases on a store, which stays the caller's to close.
func NewLeases(store *Store) *Leases {
	return &Leases{store: store, now: time.Now, known: map[string]*lease{}, leases: map[string]*lease{}}
}

// Start begins to give back what resting keys have leased.
func (l *Leases) Start() {
	l.stop, l.stopped = make(chan struct{}), make(chan struct{})
	ctx, hurry := context.WithCancel(context.Background())
	l.hurry = hurry
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
				_ = l.endLeases(ctx, l.rests)
			}
		}
	}()
}

// rests tells whether nobody has used a key for a while, or waits for it now.
func (l *Leases) rests(known *lease) bool {
	return known.more == nil && l.now().Sub(known.lastUsed) >= restAfter
}

// Stop gives back everything that is leased. Requests may go on; each then
// leases anew.
func (l *Leases) Stop(ctx context.Context) error {
	if l.stop != nil {
		close(l.stop)
		select {
		case <-l.stopped:
		case <-ctx.Done():
			l.hurry()
			<-l.stopped
		}
		l.hurry()
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
		known = &lease{digest: digest, key: key, lastUsed: now}
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
	limit, day := k.enforcedQuota(), l.store.calendar.date(at)
	for {
		known := l.of(k)
		if known == nil { // it has rested since
			return l.store.Spend(ctx, k, at)
		}
		known.lastUsed = l.now()
		if day < known.day { // it came before midnight, and others were faster
			known.mu.Unlock()
			return l.store.Spend(ctx, k, at)
		}
		if day > known.day && known.more == nil {
			past, rest := known.day, known.left
			known.day, known.used, known.left = day, 0, 0
			known.blocks++
			if rest > 0 {
				known.mu.Unlock()
				_ = l.store.giveBack(ctx, k, past, rest) // an error costs the past day what a kill would
				continue
			}
		}
		if day == known.day && known.left > 0 {
			known.left--
			used := known.used - known.left
			known.mu.Unlock()
			return l.store.usage(limit, used, true, at), nil
		}
		more, mine, today := known.more, known.more == nil, day == known.day
		if mine {
			more = &extension{done: make(chan struct{})}
			known.more = more
			// It is for all who wait, so it goes on when this caller goes away.
			go l.extend(context.WithoutCancel(ctx), known, more, k, day, known.used)
		}
		known.mu.Unlock()
		select {
		case <-more.done:
		case <-ctx.Done():
			return Usage{}, fmt.Errorf("count a request: %w", ctx.Err())
		}
		switch {
		case !today: // it was the past day's
		case more.err != nil:
			return Usage{}, fmt.Errorf("count a request: %w", more.err)
		case mine || !more.allowed:
			return l.store.usage(limit, more.used, more.allowed, at), nil
		}
	}
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
// counted is what the store had counted when it was last asked. Until it is done
// neither the day of the lease changes nor does the lease end.
func (l *Leases) extend(ctx context.Context, known *lease, more *extension, k Key, day string, counted int64) {
	used, block, err := l.another(ctx, k, day, counted)
	known.mu.Lock()
	defer known.mu.Unlock()
	if more.err = err; err == nil {
		more.allowed = block > 0
		known.used, known.left = used, max(0, block-1)
		known.blocks++
		more.used = used - known.left
	}
	known.more = nil
	close(more.done)
}

// another gives what is counted now, and how many requests of it are leased: 0
// when the quota is spent.
func (l *Leases) another(ctx context.Context, k Key, day string, counted int64) (used, block int64, err error) {
	ctx, cancel, err := l.store.begin(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer cancel()
	block = largestBlock
	if limit := k.enforcedQuota(); limit != nil {
		block = max(1, min(block, (*limit-counted)/shareOfTheRest))
	}
	for {
		used, allowed, err := l.store.lease(ctx, k, day, block)
		switch {
		case err != nil:
			return 0, 0, err
		case allowed:
			return used, block, nil
		case block == 1:
			return used, 0, nil
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
	blocks, extending := known.blocks, known.more != nil
	known.mu.Unlock()
	usage, err := l.store.Usage(ctx, k, at)
	if err != nil {
		return usage, err
	}
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.ended || known.day != l.store.calendar.date(at) {
		return usage, nil
	}
	counted := usage.Used
	if extending || known.more != nil || known.blocks != blocks {
		counted = known.used // whether the store's answer had the new block in it can't be told
	}
	limit, used := k.enforcedQuota(), counted-known.left
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
	for !known.ended && known.more != nil && ends(known) {
		more := known.more
		known.mu.Unlock()
		select {
		case <-more.done:
		case <-ctx.Done():
			return fmt.Errorf("give back leased requests: %w", ctx.Err())
		}
		known.mu.Lock()
	}
	if known.ended || !ends(known) {
		known.mu.Unlock()
		return nil
	}
	day, rest := known.day, known.left
	known.left, known.ended = 0, true
	l.mu.Lock()
	delete(l.known, known.digest)
	delete(l.leases, known.key.ID)
	l.mu.Unlock()
	k := known.key
	known.mu.Unlock()
	if rest == 0 {
		return nil
	}
	return l.store.giveBack(ctx, k, day, rest)
}

// LeaseStats is what is leased at an instant.
type LeaseStats struct {
	Keys     int   // that have a lease
	Requests int64 // counted ahead and not spent yet
}

// Stats tells what is leased.
func (l *Leases) Stats() LeaseStats {
	l.mu.Lock()
	all := slices.Collect(maps.Values(l.leases))
	l.mu.Unlock()
	stats := LeaseStats{Keys: len(all)}
	for _, known := range all {
		known.mu.Lock()
		stats.Requests += known.left
		known.mu.Unlock()
	}
	return stats
}
