package query

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
)

// Operation is the part of an operation that tests can see.
type Operation struct {
	Method, Path string
	Keyed        bool
	Params       []Param
}

// Param is the part of a parameter that tests can see.
type Param struct {
	Name, In string
	Required bool
	Fallback any
}

// Operations gives the table of operations of a server.
func Operations() []Operation {
	var list []Operation
	for _, op := range (&Server{}).operations() {
		public := Operation{Method: op.method, Path: op.path, Keyed: op.access != open}
		for _, p := range op.params {
			public.Params = append(public.Params, Param{p.name, p.in, p.required, p.fallback})
		}
		list = append(list, public)
	}
	return list
}

// ErrUnread is the error of a read that ClickHouse does not answer.
var ErrUnread error = &readError{"test", errors.New("no answer")}

// Making answers every request with one reply that a test makes, in the same way as the
// replies of operations.
func (s *Server) Making(make func(context.Context, io.Writer) error) http.Handler {
	op := &operation{path: "/making", reads: anyBatch, answer: func(ctx context.Context, _ *call) (reply, error) {
		return reply{status: http.StatusOK, write: func(w io.Writer) error { return make(ctx, w) }}, nil
	}}
	serve := s.serve(op)
	return s.observe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, nil) }))
}

// MakingEach is Making with a reply for each value of the parameter n.
func (s *Server) MakingEach(make func(context.Context, io.Writer) error) http.Handler {
	op := &operation{path: "/making", reads: anyBatch, params: []param{integer("n", 0, 1000, nil)}, answer: func(ctx context.Context, _ *call) (reply, error) {
		return reply{status: http.StatusOK, write: func(w io.Writer) error { return make(ctx, w) }}, nil
	}}
	serve := s.serve(op)
	return s.observe(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serve(w, r, nil) }))
}

// Places tells how many requests use ClickHouse or wait for a turn.
func (s *Server) Places() int64 { return s.replies.capacity.held.Load() }

// Clients tells how many connections are open.
func (s *Server) Clients() int64 { return s.clients.Load() }

// ServeOn serves the connections of a listener until it is closed.
func (s *Server) ServeOn(accepting net.Listener) error {
	return s.httpServer().Serve(listener{accepting, s})
}
