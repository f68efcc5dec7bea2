package eventlog

import (
	"crypto/tls"
	"strings"

	"github.com/segmentio/kafka-go/sasl"
)

// Brokers is where a Kafka cluster is, and how it lets us in.
type Brokers struct {
	Addresses []string       // host:port of some brokers; they tell of the others
	TLS       *tls.Config    // nil: the connection is not encrypted
	SASL      sasl.Mechanism // nil: without a user; else it holds a password
}

// At gives brokers that ask for neither TLS nor a user.
func At(addresses ...string) Brokers { return Brokers{Addresses: addresses} }

// String gives the addresses alone.
func (b Brokers) String() string { return strings.Join(b.Addresses, ",") }

// GoString gives the addresses alone, so that no way of printing tells the password.
func (b Brokers) GoString() string { return b.String() }
