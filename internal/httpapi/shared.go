package httpapi

import (
	"context"
	"sync"
)

// sharedResponse is a reply while it is being made. Several requests may read it at once, each
// at its own speed, so that none waits for another.
type sharedResponse struct {
	done chan struct{} // closed when the reply is complete or has failed

	mu   sync.Mutex
	text []byte        // only appended to, so parts that were handed out never change
	list *Listing      // what the headers state; known before the text
	more chan struct{} // closed and replaced when text grows
	err  error         // why the reply is incomplete
}

func newSharedResponse() *sharedResponse {
	return &sharedResponse{done: make(chan struct{}), more: make(chan struct{})}
}

// Write implements io.Writer.
func (p *sharedResponse) Write(part []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = append(p.text, part...)
	close(p.more)
	p.more = make(chan struct{})
	return len(part), nil
}

// state keeps the listing of the reply. It must be called before Write.
func (p *sharedResponse) state(list *Listing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = list
}

// listing returns what state kept.
func (p *sharedResponse) listing() *Listing {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list
}

// end closes the response. With an error, the reply is incomplete.
func (p *sharedResponse) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = err
	close(p.done)
}

// after returns the bytes of the reply that follow the first ones, as soon as there are at
// least least of them or the reply is complete. complete reports whether nothing more follows. It
// returns ctx.Err() if the context ends first.
func (p *sharedResponse) after(ctx context.Context, first, least int) (text []byte, complete bool, err error) {
	for {
		p.mu.Lock()
		text, more := p.text[first:], p.more
		select {
		case <-p.done:
			complete, err = true, p.err
		default:
		}
		p.mu.Unlock()
		if complete || len(text) >= least {
			return text, complete, err
		}
		select {
		case <-more:
		case <-p.done:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
	}
}
