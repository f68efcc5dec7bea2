package load

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Crowd is clients that send requests to one server and bear being refused.
type Crowd struct {
	Client  *http.Client
	Address string // of the server, host and port
	Key     string // API key
	Paths   []string
}

// Steadily has so many clients send requests one after the other for a time, and notes
// their answers. It fails if a request is not answered.
func (c Crowd) Steadily(ctx context.Context, clients int, length time.Duration, into *Answers) error {
	limited, end := context.WithTimeout(ctx, length)
	defer end()
	return runWorkers(clients, func(worker int) error {
		for n := worker; limited.Err() == nil; n += clients {
			if err := c.ask(ctx, n, into); err != nil {
				return err
			}
		}
		return nil
	})
}

// AtIntervals has each of so many clients send a request at intervals until ctx ends, and
// notes their answers. They ignore Retry-After. It fails if a request is not answered.
func (c Crowd) AtIntervals(ctx context.Context, clients int, every time.Duration, into *Answers) error {
	return runWorkers(clients, func(worker int) error {
		tick := time.Tick(every)
		for n := worker; ; n += clients {
			if err := c.ask(ctx, n, into); err != nil && ctx.Err() == nil {
				return err
			}
			select {
			case <-tick:
			case <-ctx.Done():
				return nil
			}
		}
	})
}

func (c Crowd) ask(ctx context.Context, n int, into *Answers) error {
	began := time.Now()
	status, err := Get(ctx, c.Client, c.Address, c.Paths[n%len(c.Paths)], c.Key)
	if err == nil {
		into.note(status, time.Since(began))
	}
	return err
}

// runWorkers runs so many workers and waits for all of them. It fails if any does.
func runWorkers(workers int, work func(worker int) error) error {
	failures := make([]error, workers)
	var wait sync.WaitGroup
	for worker := range workers {
		wait.Go(func() { failures[worker] = work(worker) })
	}
	wait.Wait()
	return errors.Join(failures...)
}

// Answers holds how long answers took, separately for accepted and refused requests.
type Answers struct {
	mu                sync.Mutex
	accepted, refused []time.Duration
}

func (a *Answers) note(status int, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if status == http.StatusOK {
		a.accepted = append(a.accepted, took)
	} else {
		a.refused = append(a.refused, took)
	}
}

// Sorted returns how long accepted and refused requests took, each in ascending order.
func (a *Answers) Sorted() (accepted, refused []time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(slices.Values(a.accepted)), slices.Sorted(slices.Values(a.refused))
}
