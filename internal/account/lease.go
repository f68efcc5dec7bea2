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

// Leases stands before a Store in a server that handles many requests a second. It caches
// verified keys for verifiedFor, and it leases requests in small blocks: a block is counted in
// the store at once and then spent from memory. So most requests do not reach the database; those by
// links do.
//
// A key never exceeds its quota, because a block is counted in the store before any of it is
// spent. Unspent requests are returned to the store when the key is idle and when Leases stops.
// If returning them fails, or if the server is killed, they stay counted. That is at most a
// twentieth of what the key had left, or one request. A key that this store revokes is refused
// at once. A key that another process revokes, or to which it gives an end, is refused within verifiedFor of that.
type Leases struct {
	store *Store
	now   func() time.Time

	mu     sync.Mutex
	known  map[string]*lease // by the digest of the presented key
	leases map[string]*lease // the same leases, by the ID of the key

	stop    chan struct{}
	stopped chan struct{}
	hurry   context.CancelFunc // cancels the running sweep
}

const (
	// verifiedFor is how long a verified key is trusted before the store is asked again.
	verifiedFor = time.Second
	// restAfter is how long a key must be unused before its lease ends.
	restAfter = 2 * time.Second
	// sweepEvery is the interval at which the leases of idle keys are ended.
	sweepEvery = time.Second
	// A block has at most largestBlock requests. If the key has a quota, a block is also at
	// most 1/shareOfTheRest of what the key has left, but at least one request.
	largestBlock   = 256
	shareOfTheRest = 20
)

// lease is what is cached for one key: its verification and its leased requests. Its mutex is
// never held during a database query.
type lease struct {
	digest      string
	mu          sync.Mutex
	ended       bool // the lease was ended and removed from Leases
	key         Key
	verified    time.Time // when the store last verified the key
	revocations uint64    // the store's revocation count before that verification
	lastUsed    time.Time

	day    string     // the Santiago date of the counts below
	used   int64      // requests counted in the store at the last lease, including left
	left   int64      // leased requests that are not spent yet
	blocks uint64     // how often used and left were set
	more   *extension // the extension that is running for this day; nil if none is running
}

// extension is a request to the store for one more block. Callers that find no leased request
// wait for it. If it is refused or fails, all of them get the same refusal or error. One
// request of the block is reserved for the caller that started the extension.
type extension struct {
	done    chan struct{} // closed when the other fields are set
	used    int64         // requests used, including that of the caller that started it, without those still leased
	allowed bool
	err     error
}

// NewLeases makes the leases of a store. The caller still has to close the store.
func NewLeases(store *Store) *Leases {
	return &Leases{store: store, now: time.Now, known: map[string]*lease{}, leases: map[string]*lease{}}
}

// Start begins the sweep that returns the leased requests of idle keys to the store. Stop ends
// it.
func (l *Leases) Start() {
	l.stop, l.stopped = make(chan struct{}), make(chan struct{})
	ctx, hurry := context.WithCancel(context.Background())
	l.hurry = hurry
	go func() {
		defer close(l.stopped)
		ticker := time.Tick(sweepEvery)
		for {
			select {
			case <-l.stop:
				return
			case <-ticker:
				// Requests that can't be returned stay counted; see end.
				_ = l.endLeases(ctx, l.rests)
			}
		}
	}()
}

// rests reports whether a key was unused for restAfter and no extension of its lease is
// running. The caller holds the lock of the lease.
func (l *Leases) rests(known *lease) bool {
	return known.more == nil && l.now().Sub(known.lastUsed) >= restAfter
}

// Stop ends the sweep and returns all leased requests to the store. If ctx ends first, it
// returns the context's error. Requests are still answered after Stop, but each may lease
// again.
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

// Authenticate is Store.Authenticate, with results cached for verifiedFor. A revocation by this
// store empties the cache.
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
		if fresh && !key.endedBy(now) {
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

// Spend is Store.Spend, but mostly spends from a block that is already leased.
func (l *Leases) Spend(ctx context.Context, k Key, at time.Time) (Usage, error) {
	limit, day := k.enforcedQuota(), dayOf(at)
	for {
		known := l.of(k)
		if known == nil { // the lease has ended since the key was verified
			return l.store.Spend(ctx, k, at)
		}
		known.lastUsed = l.now()
		if day < known.day { // the request arrived before midnight, and the lease is already for the next day
			known.mu.Unlock()
			return l.store.Spend(ctx, k, at)
		}
		if day > known.day && known.more == nil {
			past, rest := known.day, known.left
			known.day, known.used, known.left = day, 0, 0
			known.blocks++
			if rest > 0 {
				known.mu.Unlock()
				_ = l.store.giveBack(ctx, k, past, rest) // after an error these requests of the past day stay counted
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
			// Other callers wait for the extension too, so it continues if this caller
			// disconnects.
			go l.extend(context.WithoutCancel(ctx), known, more, k, day, known.used)
		}
		known.mu.Unlock()
		select {
		case <-more.done:
		case <-ctx.Done():
			return Usage{}, fmt.Errorf("count a request: %w", ctx.Err())
		}
		switch {
		case !today: // the extension was for the past day, so try again
		case more.err != nil:
			return Usage{}, fmt.Errorf("count a request: %w", more.err)
		case mine || !more.allowed:
			return l.store.usage(limit, more.used, more.allowed, at), nil
		}
	}
}

// Refund is Store.Refund, but mostly returns the request to the block that is leased.
func (l *Leases) Refund(ctx context.Context, k Key, at time.Time) error {
	if known := l.of(k); known != nil {
		if known.day == dayOf(at) && known.more == nil {
			known.left++
			known.mu.Unlock()
			return nil
		}
		known.mu.Unlock()
	}
	return l.store.Refund(ctx, k, at)
}

// of returns the lease of a key, locked, or nil if the key has no lease.
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

// extend leases another block, or a single request if the store refuses the block. counted is
// the store's count at the last lease. While extend runs, the day of the lease does not change
// and the lease does not end.
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

// another leases a block, and returns the store's count after that and the size of the block.
// The block is 0 if the quota is used up.
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

// Usage is Store.Usage minus the requests that are leased here and not spent yet.
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
	if known.ended || known.day != dayOf(at) {
		return usage, nil
	}
	counted := usage.Used
	if extending || known.more != nil || known.blocks != blocks {
		counted = known.used // the store's answer may or may not include the new block
	}
	limit, used := k.enforcedQuota(), counted-known.left
	return l.store.usage(limit, used, limit == nil || used < *limit, at), nil
}

// endLeases ends all leases for which ends returns true, and returns their unspent requests to
// the store.
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

// end ends a lease if ends returns true for it. It takes the unspent requests out of the lease
// first, and then returns them to the store. If that fails, it does not try again: the store
// may have got them already, and returning them twice would let the key exceed its quota. So
// they stay counted, as after a server was killed.
func (l *Leases) end(ctx context.Context, known *lease, ends func(*lease) bool) error {
	known.mu.Lock()
	for !known.ended && known.more != nil && ends(known) {
		more := known.more
		known.mu.Unlock()
		select {
		case <-more.done:
		case <-ctx.Done():
			return fmt.Errorf("return leased requests: %w", ctx.Err())
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

// LeaseStats describes the leases at one moment.
type LeaseStats struct {
	Keys     int   // number of keys that have a lease
	Requests int64 // requests that are counted ahead and not spent yet
}

// Stats counts the leases and the leased requests.
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
