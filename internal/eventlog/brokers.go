package eventlog

import (
	"context"
	"crypto/tls"
	"net"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/sasl"
)

// Brokers holds the addresses of a Kafka cluster, how to authenticate, and how long to wait for
// it.
type Brokers struct {
	Addresses []string       // host:port of some brokers, from which the client learns the others
	TLS       *tls.Config    // nil if the connection is not encrypted
	SASL      sasl.Mechanism // nil if no user is needed; otherwise it contains a password

	// Dial, if set, connects to a broker. It is for brokers inside this process.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Patience is how long a call is tried again while it fails with temporary errors. 0 means
	// 1 minute. A consumer group tries again without limit.
	Patience time.Duration
	// Waiting, if set, is called once for a call that has failed for a second. left is how much
	// longer the call is tried again at most. Several goroutines may call it.
	Waiting func(err error, left time.Duration)
}

// At returns brokers without TLS and without a user.
func At(addresses ...string) Brokers { return Brokers{Addresses: addresses} }

// String returns the addresses only.
func (b Brokers) String() string { return strings.Join(b.Addresses, ",") }

// GoString returns the addresses only, so that no way of printing reveals the password.
func (b Brokers) GoString() string { return b.String() }
