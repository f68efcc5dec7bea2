package query

import (
	"context"
	"sync"
)

// production is a reply while it is made: what there is of it goes to all who
// asked for it meanwhile, to each as fast as he takes it, so that none waits for
// another.
type production struct {
	done chan struct{} // closed at the end

	mu   sync.Mutex
	text []byte        // is only appended to: what was given of it stays as it is
	more chan struct{} // closed when there is more, and replaced
	err  error         // why it ended early
}

func newProduction() *production {
	return &production{done: make(chan struct{}), more: make(chan struct{})}
}

// Write implements io.Writer.
func (p *production) Write(part []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = append(p.text, part...)
	close(p.more)
	p.more = make(chan struct{})
	return len(part), nil
}

// end says that nothing more comes; with an error, that not all of it came.
func (p *production) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	close(p.done)
}

// after gives what follows the first bytes of the reply, as soon as there is so
// much of it, or all; whole tells which. Who waits no longer gets his context's
// error.
func (p *production) after(ctx context.Context, first, least int) (text []byte, whole bool, err error) {
	for {
		p.mu.Lock()
		text, more := p.text[first:], p.more
		select {
		case <-p.done:
			whole, err = true, p.err
		default:
		}
		p.mu.Unlock()
		if whole || len(text) >= least {
			return text, whole, err
		}
		select {
		case <-more:
		case <-p.done:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}
