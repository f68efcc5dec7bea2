package eventlog

import (
	"crypto/tls"
	"strings"
	"time"

	"github.com/segmentio/kafka-go/sasl"
)

// Brokers is where a Kafka cluster is, how it lets us in, and how long to wait for it.
type Brokers struct {
	Addresses []string       // host:port of some brokers; they tell of the others
	TLS       *tls.Config    // nil: the connection is not encrypted
	SASL      sasl.Mechanism // nil: without a user; else it holds a password

	// Patience is how long a call is tried again while the brokers fail it with errors
	// that pass by themselves, 1 minute if 0. A consumer group has no such limit.
	Patience time.Duration
	// Waiting, if set, is called once for a call that has failed for a second and is
	// tried again for at most the time that is left. Several goroutines may call it.
	Waiting func(err error, left time.Duration)
}

// At gives brokers that ask for neither TLS nor a user.
func At(addresses ...string) Brokers { return Brokers{Addresses: addresses} }

// String gives the addresses alone.
func (b Brokers) String() string { return strings.Join(b.Addresses, ",") }

// GoString gives the addresses alone, so that no way of printing tells the password.
func (b Brokers) GoString() string { return b.String() }
