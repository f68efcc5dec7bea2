package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"cuota/cmd/cuota-bench/stats"
)

// ClientCommand is the argument that makes this program the child process that sends
// requests.
const ClientCommand = "send-requests"

// Order says what the child process is to send. It is passed on standard input, because
// an API key must not be in a command line.
type Order struct {
	Address   string // of the server, host and port
	Key       string // API key
	Paths     []string
	Bodies    []string // of POST requests to the first path; empty: GET each path
	Clients   int
	Length    time.Duration
	PerSecond float64 // requests of all clients together; 0: as fast as they are answered
}

// Outcome is what the child process writes to standard output.
type Outcome struct {
	Requests int
	Elapsed  time.Duration
	P50, P99 time.Duration // latencies
}

// maxRequests bounds the requests of a round, and so the memory for their latencies.
const maxRequests = 2_000_000

// Send has a child process send what the order says over keep-alive connections, each
// request of a client after its previous answer. A separate process keeps the CPU time of
// the clients out of the server's. It fails if any request is not answered with 200.
func Send(ctx context.Context, o Order) (outcome Outcome, err error) {
	if err := AskChild(ctx, ClientCommand, o, &outcome); err != nil {
		return outcome, fmt.Errorf("client: %w", err)
	}
	return outcome, nil
}

// ServeAsClient runs the child process: it reads an Order and writes an Outcome, both as
// JSON. It fails if any request is not answered with 200.
func ServeAsClient(in io.Reader, out io.Writer) error {
	var o Order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return fmt.Errorf("read what to send: %w", err)
	}
	if o.Clients < 1 || len(o.Paths) == 0 {
		return errors.New("nothing to send")
	}
	each := make([][]time.Duration, o.Clients)
	began := time.Now()
	next := o.whenAnswered(began)
	if o.PerSecond > 0 {
		next = o.onSchedule(began)
	}
	err := runWorkers(o.Clients, func(worker int) (err error) {
		each[worker], err = o.send(worker, began.Add(o.Length), next)
		return err
	})
	if err != nil {
		return err
	}
	elapsed := time.Since(began)
	took := slices.Sorted(slices.Values(slices.Concat(each...)))
	return json.NewEncoder(out).Encode(Outcome{len(took), elapsed, stats.Quantile(took, 0.50),
		stats.Quantile(took, 0.99)})
}

// turn waits until a request is due and returns since when it is due; latencies are
// counted from then. more is false when no more requests are to be sent.
type turn func() (since time.Time, more bool)

// whenAnswered makes each client send as soon as its previous request is answered.
func (o Order) whenAnswered(began time.Time) turn {
	end := began.Add(o.Length)
	var sent atomic.Int64
	return func() (time.Time, bool) {
		now := time.Now()
		return now, now.Before(end) && sent.Add(1) <= maxRequests
	}
}

// send sends requests one after the other over one connection. It writes requests and
// reads answers without net/http, so that the client takes little CPU beside the server.
func (o Order) send(worker int, end time.Time, next turn) ([]time.Duration, error) {
	conn, err := net.Dial("tcp", o.Address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(end.Add(time.Minute)); err != nil {
		return nil, err
	}
	heads := o.requests()
	answers := bufio.NewReaderSize(conn, 64<<10)
	var took []time.Duration
	for at := worker * len(heads) / o.Clients; ; at++ {
		since, more := next()
		if !more {
			return took, nil
		}
		if _, err := conn.Write(heads[at%len(heads)]); err != nil {
			return took, err
		}
		if err := readAnswer(answers); err != nil {
			return took, fmt.Errorf("%s: %w", o.Paths[at%len(heads)%len(o.Paths)], err)
		}
		took = append(took, time.Since(since))
	}
}

// requests returns the requests as they are sent.
func (o Order) requests() (texts [][]byte) {
	head := func(method, path string) []byte {
		return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nX-Api-Key: %s\r\n", method, path, o.Address, o.Key)
	}
	if len(o.Bodies) == 0 {
		for _, path := range o.Paths {
			texts = append(texts, append(head(http.MethodGet, path), "\r\n"...))
		}
	}
	for _, body := range o.Bodies {
		texts = append(texts, fmt.Appendf(head(http.MethodPost, o.Paths[0]),
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	}
	return texts
}

func readAnswer(from *bufio.Reader) error {
	response, err := http.ReadResponse(from, nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || response.Close {
		return fmt.Errorf("answered with %s, connection closed: %t", response.Status, response.Close)
	}
	return nil
}
