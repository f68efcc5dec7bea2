package eventlog_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"cuota/internal/eventlog"
	"cuota/internal/testkit/tlstest"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
	"github.com/twmb/franz-go/pkg/kfake"
)

// The user of the brokers that require one.
const kafkaUser, kafkaPassword = "cuota", "p@ss:word/%C3"

// mechanism returns the SASL mechanism for a user, by Kafka's name of the mechanism.
func mechanism(t testing.TB, name, password string) sasl.Mechanism {
	t.Helper()
	var told sasl.Mechanism
	var err error
	switch name {
	case "PLAIN":
		told = plain.Mechanism{Username: kafkaUser, Password: password}
	case "SCRAM-SHA-256":
		told, err = scram.Mechanism(scram.SHA256, kafkaUser, password)
	case "SCRAM-SHA-512":
		told, err = scram.Mechanism(scram.SHA512, kafkaUser, password)
	}
	if err != nil || told == nil {
		t.Fatalf("mechanism %s: %v", name, err)
	}
	return told
}

var mechanisms = []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"}

// guarded returns a broker that requires TLS and a user: kfake, or the broker at
// CUOTA_TEST_KAFKA_SASL with the authority in CUOTA_TEST_KAFKA_CA.
func guarded(t testing.TB) (address string, roots *x509.CertPool) {
	t.Helper()
	if address := os.Getenv("CUOTA_TEST_KAFKA_SASL"); address != "" {
		text, err := os.ReadFile(os.Getenv("CUOTA_TEST_KAFKA_CA"))
		if err != nil {
			t.Fatal(err)
		}
		roots = x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			t.Fatal("CUOTA_TEST_KAFKA_CA holds no certificate")
		}
		return address, roots
	}
	certified := tlstest.For(t, "")
	options := []kfake.Opt{kfake.NumBrokers(1), kfake.EnableSASL(), kfake.TLS(certified.Server)}
	for _, name := range mechanisms {
		options = append(options, kfake.Superuser(name, kafkaUser, kafkaPassword))
	}
	cluster, err := kfake.NewCluster(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster.ListenAddrs()[0], certified.Roots
}

func TestABrokerThatAsksForTLSAndAUserIsWrittenAndRead(t *testing.T) {
	address, roots := guarded(t)
	for _, name := range mechanisms {
		t.Run(name, func(t *testing.T) {
			b := eventlog.Brokers{Addresses: []string{address}, TLS: &tls.Config{RootCAs: roots},
				SASL: mechanism(t, name, kafkaPassword)}
			topic := topic(t, b, 2)
			write(t, newWriter(t, b), topic, numbered(0, 1000))
			if got := read(t, b, topic, 1000); len(got) != 1000 {
				t.Errorf("%d messages came, want 1000", len(got))
			}
		})
	}
}

func TestABrokerThatDoesNotKnowUsIsReportedWithoutThePassword(t *testing.T) {
	address, roots := guarded(t)
	const wrong = "not-the-password"
	trusted := &tls.Config{RootCAs: roots}
	refused := map[string]eventlog.Brokers{
		"no user": {Addresses: []string{address}, TLS: trusted},
		"no TLS":  {Addresses: []string{address}, SASL: mechanism(t, "PLAIN", kafkaPassword)},
		"a wrong authority": {Addresses: []string{address}, TLS: &tls.Config{RootCAs: tlstest.For(t, "").Roots},
			SASL: mechanism(t, "PLAIN", kafkaPassword)},
	}
	for _, name := range mechanisms {
		refused[name+" with a wrong password"] = eventlog.Brokers{Addresses: []string{address}, TLS: trusted,
			SASL: mechanism(t, name, wrong)}
	}
	for what, b := range refused {
		// a broker that closes the connection is called again until then
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err := eventlog.EnsureTopics(ctx, b, []eventlog.Topic{{Name: unique("refused"), Partitions: 1}})
		cancel()
		if err == nil {
			t.Errorf("%s: the broker let us in", what)
			continue
		}
		if strings.Contains(err.Error(), wrong) || strings.Contains(err.Error(), kafkaPassword) {
			t.Errorf("%s: the password is in %q", what, err)
		}
		if what == "a wrong authority" && !strings.Contains(err.Error(), "certificate signed by unknown authority") {
			t.Errorf("%s: %v", what, err)
		}
		// kfake closes the connection without the reason that Kafka gives.
		if real := os.Getenv("CUOTA_TEST_KAFKA_SASL") != ""; real && strings.Contains(what, "password") &&
			!errors.Is(err, kafkago.SASLAuthenticationFailed) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestNoWayOfPrintingBrokersTellsThePassword(t *testing.T) {
	b := eventlog.Brokers{Addresses: []string{"one:9093", "two:9093"}, SASL: mechanism(t, "PLAIN", kafkaPassword)}
	for _, form := range []string{"%v", "%+v", "%s", "%q", "%#v"} {
		if told := fmt.Sprintf(form, b); strings.Contains(told, kafkaPassword) ||
			!strings.Contains(told, "one:9093,two:9093") {
			t.Errorf("%s prints %s", form, told)
		}
	}
}
