package baseline

import (
	"context"
	"sync"

	"github.com/segmentio/kafka-go"
)

// Gate is a consumer of messages that does nothing with them. It blocks while it is shut.
type Gate struct {
	Arrived chan struct{} // receives once for each call that is blocked

	mu     sync.Mutex
	opened chan struct{} // nil while open
}

// Shut closes the gate until open is called.
func (g *Gate) Shut() (open func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	opened := make(chan struct{})
	g.opened = opened
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.opened = nil
		close(opened)
	})
}

// Pass consumes messages once the gate is open. It returns ctx.Err() if the context ends
// first.
func (g *Gate) Pass(ctx context.Context, _ []kafka.Message) error {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	if opened == nil {
		return nil
	}
	select {
	case g.Arrived <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-opened:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
