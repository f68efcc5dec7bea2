package environment

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"

	"cuota/internal/eventlog"
	"cuota/sql"
)

// checkServers fails if a setting would be ignored: one that is gone, or one of a server that is
// not named.
func (s Settings) checkServers() error {
	if os.Getenv("CUOTA_CLICKHOUSE_CLUSTER") != "" {
		return errors.New("CUOTA_CLICKHOUSE_CLUSTER is no longer known: unset it. Instead of replicas there can be " +
			"several copies, each in an empty database on a ClickHouse server of its own, with a name in CUOTA_COPY: " +
			"docs/servers.md")
	}
	if s.ClickHouse == "" && (s.ClickHouseCA != "" || s.ClickHouseHTTP != "") {
		return errors.New("CUOTA_CLICKHOUSE_CA and CUOTA_CLICKHOUSE_HTTP need CUOTA_CLICKHOUSE, which is not set")
	}
	if len(s.Kafka) == 0 && (s.KafkaTLS || s.KafkaCA != "" || s.KafkaSASL != "" || s.KafkaUser != "" ||
		s.KafkaPassword != "") {
		return errors.New("CUOTA_KAFKA_TLS, _CA, _SASL, _USER and _PASSWORD need CUOTA_KAFKA, which is not set")
	}
	return nil
}

// ClickHouseServer returns the options of the ClickHouse server that the environment
// names. Errors never quote the address, because it may hold a password.
func (s Settings) ClickHouseServer() (*clickhouse.Options, error) {
	return s.clickHouseAt("CUOTA_CLICKHOUSE", s.ClickHouse)
}

// OtherClickHouse is ClickHouseServer for the server of another copy.
func (s Settings) OtherClickHouse() (*clickhouse.Options, error) {
	return s.clickHouseAt("CUOTA_CLICKHOUSE_OTHER", s.ClickHouseOther)
}

// clickHouseAt returns the options for the address that a variable has.
func (s Settings) clickHouseAt(variable, address string) (*clickhouse.Options, error) {
	switch scheme, _, _ := strings.Cut(address, "://"); scheme {
	case "clickhouse", "tcp", "http":
	case "https":
		// clickhouse-go uses TLS only with secure=true, also for https
		if !strings.Contains(address, "secure=") {
			separator := "?"
			if strings.Contains(address, "?") {
				separator = "&"
			}
			address += separator + "secure=true"
		}
	default:
		return nil, notClickHouse(variable)
	}
	options, err := clickhouse.ParseDSN(address)
	if err != nil {
		return nil, notClickHouse(variable)
	}
	if len(options.Addr) != 1 {
		return nil, fmt.Errorf("%s names several servers: name one. The numbers of batches in its tables "+
			"differ from those of other copies, so a process must read one copy: docs/servers.md", variable)
	}
	if options.TLS != nil {
		options.TLS.MinVersion = tls.VersionTLS12
	}
	if s.ClickHouseCA != "" {
		switch {
		case options.TLS == nil:
			return nil, fmt.Errorf("CUOTA_CLICKHOUSE_CA is set, but %s does not use TLS: use https:// "+
				"or clickhouse://…?secure=true", variable)
		case options.TLS.InsecureSkipVerify:
			return nil, fmt.Errorf("CUOTA_CLICKHOUSE_CA is set, but %s has skip_verify, which accepts "+
				"any certificate: remove one of them", variable)
		}
		if options.TLS.RootCAs, err = authority("CUOTA_CLICKHOUSE_CA", s.ClickHouseCA); err != nil {
			return nil, err
		}
	}
	if options.Settings == nil {
		options.Settings = clickhouse.Settings{}
	}
	for name, value := range statementSettings {
		if _, told := options.Settings[name]; !told {
			options.Settings[name] = value
		}
	}
	if options.Compression == nil && options.Protocol == clickhouse.Native {
		options.Compression = &clickhouse.Compression{Method: clickhouse.CompressionLZ4}
	}
	return options, nil
}

// statementSettings go with each statement that is sent to a server of somebody else, unless the address of the server
// says otherwise. The engine that cuota runs has them in its configuration.
var statementSettings = clickhouse.Settings{
	// Most statements run once: to compile them costs more than it gains.
	"compile_expressions": 0, "compile_aggregate_expressions": 0, "compile_sort_description": 0,
	// A fifth of the time of planning a batch, and before 26.8 sometimes a wrong comparison.
	"optimize_and_compare_chain": 0,
}

// HTTPInterface returns the HTTP interface of the ClickHouse server that the environment names;
// nil if its address is not known. CUOTA_CLICKHOUSE_HTTP names it. Without that, it is the address
// in CUOTA_CLICKHOUSE if that is one of HTTP, or else the port that belongs to a usual port of the
// native protocol. The user, the password and the database are those in CUOTA_CLICKHOUSE.
func (s Settings) HTTPInterface(options *clickhouse.Options) (*sql.HTTP, error) {
	scheme := "http"
	if options.TLS != nil {
		scheme = "https"
	}
	var address string
	switch {
	case s.ClickHouseHTTP != "":
		named, err := url.Parse(s.ClickHouseHTTP)
		if err != nil || named.Scheme != "http" && named.Scheme != "https" || named.Host == "" || named.User != nil ||
			strings.Trim(named.Path, "/") != "" || named.RawQuery != "" || named.Fragment != "" {
			return nil, errors.New("CUOTA_CLICKHOUSE_HTTP is not an address like http://host:8123 or " +
				"https://host:8443, without user and password")
		}
		if named.Scheme == "http" && options.TLS != nil {
			return nil, errors.New("CUOTA_CLICKHOUSE_HTTP begins with http, and CUOTA_CLICKHOUSE is an address with " +
				"TLS: use https, so that the password is not sent in clear")
		}
		address = named.Scheme + "://" + named.Host
	case options.Protocol == clickhouse.HTTP:
		address = scheme + "://" + options.Addr[0]
	default:
		host, port, err := net.SplitHostPort(options.Addr[0])
		ofHTTP := map[string]string{"9000": "8123", "9440": "8443"}[port]
		if err != nil || ofHTTP == "" {
			return nil, nil
		}
		address = scheme + "://" + net.JoinHostPort(host, ofHTTP)
	}
	return sql.NewHTTP(options, address), nil
}

// notClickHouse says of which form an address of ClickHouse is.
func notClickHouse(variable string) error {
	return fmt.Errorf("%s is not an address like clickhouse://user:password@host:9000/cuota or "+
		"http://user:password@host:8123/cuota; "+
		"with TLS it is clickhouse://user:password@host:9440/cuota?secure=true or https://user:password@host:8443/cuota",
		variable)
}

// KafkaServers returns the brokers that the environment names.
func (s Settings) KafkaServers() (eventlog.Brokers, error) {
	brokers := eventlog.Brokers{Addresses: s.Kafka, Waiting: s.TellWaiting}
	for i, address := range s.Kafka {
		if _, _, err := net.SplitHostPort(address); err != nil || strings.ContainsAny(address, "@/") {
			return eventlog.Brokers{},
				fmt.Errorf("CUOTA_KAFKA: broker %d is not host:port; put the user into CUOTA_KAFKA_USER", i+1)
		}
	}
	if s.KafkaTLS {
		brokers.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if s.KafkaCA != "" {
		if brokers.TLS == nil {
			return eventlog.Brokers{},
				errors.New("CUOTA_KAFKA_CA is set, but CUOTA_KAFKA_TLS is not true: set it to true")
		}
		var err error
		if brokers.TLS.RootCAs, err = authority("CUOTA_KAFKA_CA", s.KafkaCA); err != nil {
			return eventlog.Brokers{}, err
		}
	}
	var err error
	brokers.SASL, err = s.kafkaUser()
	return brokers, err
}

// TellWaiting logs that Kafka is being asked again, and for how much longer.
func (s Settings) TellWaiting(err error, left time.Duration) {
	log := s.Logger()
	log.Warn().Err(err).Stringer("for", left.Round(time.Second)).Msg("Kafka is not ready; trying again")
}

// kafkaUser returns the SASL mechanism with our user and password; nil if none is set.
func (s Settings) kafkaUser() (sasl.Mechanism, error) {
	if s.KafkaSASL == "" {
		if s.KafkaUser != "" || s.KafkaPassword != "" {
			return nil, errors.New("CUOTA_KAFKA_USER and CUOTA_KAFKA_PASSWORD need CUOTA_KAFKA_SASL: plain, " +
				"scram-sha-256 or scram-sha-512")
		}
		return nil, nil
	}
	if s.KafkaUser == "" || s.KafkaPassword == "" {
		return nil, errors.New("CUOTA_KAFKA_SASL needs CUOTA_KAFKA_USER and CUOTA_KAFKA_PASSWORD")
	}
	var mechanism sasl.Mechanism
	var err error
	switch s.KafkaSASL {
	case "plain":
		mechanism = plain.Mechanism{Username: s.KafkaUser, Password: s.KafkaPassword}
	case "scram-sha-256":
		mechanism, err = scram.Mechanism(scram.SHA256, s.KafkaUser, s.KafkaPassword)
	case "scram-sha-512":
		mechanism, err = scram.Mechanism(scram.SHA512, s.KafkaUser, s.KafkaPassword)
	default:
		return nil, fmt.Errorf("CUOTA_KAFKA_SASL: %q is unknown: use plain, scram-sha-256 or scram-sha-512",
			s.KafkaSASL)
	}
	if err != nil { // err may quote a part of the password
		return nil, errors.New("CUOTA_KAFKA_USER or CUOTA_KAFKA_PASSWORD has characters that SCRAM does not allow")
	}
	return mechanism, nil
}

// maxAuthority bounds a file of certificates, in bytes. A bundle of all public
// authorities is smaller.
const maxAuthority = 4 << 20

// authority reads the certificates in the file that a variable names. Only these are
// then trusted.
func authority(variable, path string) (*x509.CertPool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxAuthority {
		return nil, fmt.Errorf("%s: %s is not a file", variable, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variable, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s: %s contains no certificate in PEM format", variable, path)
	}
	return pool, nil
}

// OpenClickHouse opens a connection that logs slow statements. watch says what else happens with statements.
func (s Settings) OpenClickHouse(options *clickhouse.Options, log zerolog.Logger,
	watch sql.Watch) (driver.Conn, error) {
	conn, err := clickhouse.Open(options)
	if err != nil {
		return nil, fmt.Errorf("open ClickHouse: %w", err)
	}
	watch.Slow, watch.Log = s.SlowStatement, log
	return sql.Watched(conn, watch), nil
}
