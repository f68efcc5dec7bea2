package eventlog

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"cuota/internal/loop"
)

const (
	clientID = "cuota"

	// metadataTTL is the greatest age of a client's view of the cluster: its topics, the
	// leaders of its partitions, its brokers.
	metadataTTL = 2 * time.Second

	dialTimeout = 5 * time.Second
)

// connection is a kafka-go client that can be closed completely. The library keeps a connection
// that waits for a response open until the response or its deadline comes. If a broker hangs,
// that may be never. So this type remembers the network connections and closes them itself.
type connection struct {
	transport *kafka.Transport
	addr      net.Addr
	connect   func(ctx context.Context, network, address string) (net.Conn, error)
	cancel    context.CancelFunc

	mu    sync.Mutex
	conns map[net.Conn]struct{} // nil after close
}

func newConnection(brokers Brokers) *connection {
	ctx, cancel := context.WithCancel(context.Background())
	c := &connection{
		addr:    kafka.TCP(brokers.Addresses...),
		connect: brokers.Dial,
		cancel:  cancel,
		conns:   make(map[net.Conn]struct{}),
	}
	if c.connect == nil {
		c.connect = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	c.transport = &kafka.Transport{
		Dial:        c.dial,
		DialTimeout: dialTimeout,
		ClientID:    clientID,
		MetadataTTL: metadataTTL,
		Context:     ctx,
		TLS:         brokers.TLS,
		SASL:        brokers.SASL,
	}
	return c
}

// client returns a client without a timeout of its own. The contexts of its calls limit them.
func (c *connection) client() *kafka.Client {
	return &kafka.Client{Addr: c.addr, Transport: c.transport}
}

func (c *connection) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conns == nil {
		return nil, errors.Join(net.ErrClosed, conn.Close())
	}
	tracked := &trackedConn{Conn: conn, owner: c}
	c.conns[tracked] = struct{}{}
	return tracked, nil
}

// close closes every connection, including those that wait for a response.
func (c *connection) close() {
	c.cancel()
	c.transport.CloseIdleConnections()
	c.mu.Lock()
	conns := c.conns
	c.conns = nil
	c.mu.Unlock()
	for conn := range conns {
		_ = conn.Close()
	}
}

type trackedConn struct {
	net.Conn
	owner *connection
}

func (t *trackedConn) Close() error {
	t.owner.mu.Lock()
	delete(t.owner.conns, t)
	t.owner.mu.Unlock()
	return t.Conn.Close()
}

// retryable reports whether an error is temporary: a network error, a broker that restarts or is
// no longer the leader, or the unknown error with which a broker reports a failed disk write.
func retryable(err error) bool {
	if code, is := errors.AsType[kafka.Error](err); is {
		return code == kafka.Unknown || code == kafka.BrokerNotAvailable || code.Temporary()
	}
	return errors.As(err, new(net.Error)) || errors.Is(err, protocol.ErrNoTopic) ||
		errors.Is(err, protocol.ErrNoPartition) || errors.Is(err, protocol.ErrNoLeader) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNREFUSED) ||
		errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, context.DeadlineExceeded)
}

// backoff returns pauses that double from least to most. Each pause is shortened at random by up
// to half, so that clients that failed together do not try again together.
type backoff struct {
	least, most, next time.Duration
}

func (b *backoff) pause(ctx context.Context) error {
	d := max(b.next, b.least)
	b.next = min(2*d, b.most)
	return loop.Pause(ctx, d/2+rand.N(d/2+1))
}

func (b *backoff) reset() { b.next = 0 }
