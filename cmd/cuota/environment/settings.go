// Package environment reads and checks the variables CUOTA_…, and connects to the servers that they name.
// docs/configuration.md has the table of them.
package environment

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota/output"
	"cuota/ingest/archive"
	"cuota/model"
	"cuota/projector"
	"cuota/projector/store"
)

// Settings come from the environment. They say where the engines are if these run as
// servers. Without them every command works on a data directory: it runs Kafka itself
// and starts ClickHouse as a child process.
type Settings struct {
	Data       string   `env:"CUOTA_DATA" envDefault:"data"` // default of --data
	APIKey     string   `env:"CUOTA_API_KEY"`                // with which cuota mcp asks the API
	Kafka      []string `env:"CUOTA_KAFKA"`                  // brokers, host:port, comma separated
	ClickHouse string   `env:"CUOTA_CLICKHOUSE"`             // clickhouse://user:password@host:9000/cuota
	// Address of the server of another copy, for cuota copies diff.
	ClickHouseOther string `env:"CUOTA_CLICKHOUSE_OTHER"`
	// Address of the HTTP interface of that server, http://host:8123.
	ClickHouseHTTP string `env:"CUOTA_CLICKHOUSE_HTTP"`
	// Path of an installed clickhouse, which is then started instead of the engine
	// library.
	ClickHouseBinary string `env:"CUOTA_CLICKHOUSE_BINARY"`
	Accounts         string `env:"CUOTA_ACCOUNTS"` // postgres://… or sqlite:///…
	// The most connections that this process opens to PostgreSQL.
	AccountsConnections int     `env:"CUOTA_ACCOUNTS_CONNECTIONS" envDefault:"16"`
	Pepper              string  `env:"CUOTA_PEPPER"`      // file with the secret with which keys are hashed
	Archive             string  `env:"CUOTA_ARCHIVE"`     // directory of raw payloads
	ArchiveGiB          float64 `env:"CUOTA_ARCHIVE_GIB"` // limit of its files together, GiB; 0: 20
	// days whose last batch stays readable; 0: projector.DefaultKeepDays
	KeepDays int `env:"CUOTA_KEEP_DAYS"`
	// when the data of datasets should be here: model.ParseObjectives
	Freshness  string   `env:"CUOTA_FRESHNESS"`
	Bulk       string   `env:"CUOTA_BULK"`     // directory of the files of /api/bulk
	Notary     string   `env:"CUOTA_NOTARY"`   // directory of the log of published batches; or none
	BaseURL    string   `env:"CUOTA_BASE_URL"` // public address of the service
	Returns    []string `env:"CUOTA_RETURNS"`  // of clp, real_uf and total, comma separated; or none
	Copy       string   `env:"CUOTA_COPY"`     // name of this copy of the tables; none: the only one
	LogLevel   string   `env:"CUOTA_LOG" envDefault:"info"`
	Admin      string   `env:"CUOTA_ADMIN"`       // default of --admin
	AdminHosts []string `env:"CUOTA_ADMIN_HOSTS"` // in lower case
	// Statements in ClickHouse that take at least this long are logged as slow; 0: none
	// is.
	SlowStatement time.Duration `env:"CUOTA_SLOW_STATEMENT" envDefault:"1s"`

	// How to connect to ClickHouse and Kafka servers, besides their addresses.
	// file of the authority that signed the server's certificate
	ClickHouseCA  string `env:"CUOTA_CLICKHOUSE_CA"`
	KafkaTLS      bool   `env:"CUOTA_KAFKA_TLS"`
	KafkaCA       string `env:"CUOTA_KAFKA_CA"`   // as for ClickHouse
	KafkaSASL     string `env:"CUOTA_KAFKA_SASL"` // plain, scram-sha-256 or scram-sha-512
	KafkaUser     string `env:"CUOTA_KAFKA_USER"`
	KafkaPassword string `env:"CUOTA_KAFKA_PASSWORD"`

	// The account area.
	// of front ends to which sign-in may return, comma separated
	Origins []string `env:"CUOTA_ORIGINS"`
	// proxies whose X-Forwarded-For is believed, comma separated; or none
	TrustedProxies []string `env:"CUOTA_TRUSTED_PROXIES"`
	// relay for mails, smtp://user:password@host:587
	SMTP string `env:"CUOTA_SMTP"`
	// directory into which mails are written, without a relay
	MailDir      string `env:"CUOTA_MAIL_DIR"`
	MailFrom     string `env:"CUOTA_MAIL_FROM" envDefault:"cuota@localhost.invalid"` // address in the From of mails
	GoogleClient string `env:"CUOTA_GOOGLE_CLIENT_ID"`
	GoogleSecret string `env:"CUOTA_GOOGLE_CLIENT_SECRET"`
	GoogleIssuer string `env:"CUOTA_GOOGLE_ISSUER"` // an OpenID provider that replaces Google

	// lets webhooks lead into private networks and to this machine
	WebhooksPrivate bool `env:"CUOTA_WEBHOOKS_PRIVATE"`

	// Traces, by the names that OpenTelemetry gives them. Without an endpoint there are none.
	OTLPEndpoint   string `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`        // of a collector, http://host:4318
	TracesEndpoint string `env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"` // with its path, in place of the former
	OTLPHeaders    string `env:"OTEL_EXPORTER_OTLP_HEADERS"`         // name=value, comma separated; secret
	Service        string `env:"OTEL_SERVICE_NAME" envDefault:"cuota"`
	// part of the requests that get spans, of those that name no trace, from 0 to 1
	TracesRatio string `env:"OTEL_TRACES_SAMPLER_ARG" envDefault:"1"`

	Proxies Proxies // TrustedProxies, parsed
	// Objectives is Freshness, parsed.
	Objectives map[model.Dataset]model.Objective
	Now        func() time.Time // clock of archive, batches and alerts; not from the environment
}

// ReturnsOr lists the kinds of returns to answer besides price returns in accounting
// currency: those in CUOTA_RETURNS, or the given ones if it is not set.
func (s Settings) ReturnsOr(unlessNamed ...string) []string {
	switch {
	case len(s.Returns) == 0:
		return unlessNamed
	case len(s.Returns) == 1 && s.Returns[0] == "none":
		return nil
	}
	return s.Returns
}

// BulkOr returns the directory of the files of /api/bulk. In the one that an operator names it is a
// folder of its own, because everything in it that is no batch of this installation is removed.
func (s Settings) BulkOr(unlessNamed string) string {
	if s.Bulk == "" {
		return unlessNamed
	}
	return filepath.Join(s.Bulk, "cuota-bulk")
}

// NotaryOr returns the directory of the log of published batches, "" if there is none.
func (s Settings) NotaryOr(unlessNamed string) string {
	if s.Notary == "none" {
		return ""
	}
	return cmp.Or(s.Notary, unlessNamed)
}

// maxKeepDays is ten years. More batches than that would make each start slow.
const maxKeepDays = 3660

// maxArchiveGiB is larger than any disk: 16 PiB.
const maxArchiveGiB = 16 << 20

// maxAccountsConnections is more than a PostgreSQL server gives to one client.
const maxAccountsConnections = 1000

// ArchiveIn returns the archive of raw payloads in the directory.
func (s Settings) ArchiveIn(dir string) *archive.Archive {
	files := archive.New(dir, s.Now)
	if s.ArchiveGiB > 0 {
		files.Limit(int64(s.ArchiveGiB * (1 << 30)))
	}
	return files
}

// NoSender is the sender's address of mails if none is set. No relay accepts mail from
// it.
const NoSender = "cuota@localhost.invalid"

// Load reads and checks the variables. An error names the variable.
func Load() (Settings, error) {
	var s Settings
	if err := env.Parse(&s); err != nil {
		// it names the field of the struct, which means nothing to users
		if unread, is := errors.AsType[env.ParseError](err); is {
			if field, known := reflect.TypeFor[Settings]().FieldByName(unread.Name); known {
				return s, fmt.Errorf("%s: %w", field.Tag.Get("env"), unread.Err)
			}
		}
		return s, fmt.Errorf("read the environment: %w", err)
	}
	if _, err := zerolog.ParseLevel(s.LogLevel); err != nil {
		return s, fmt.Errorf("CUOTA_LOG: the level %q is unknown: use debug, info, warn or error", s.LogLevel)
	}
	if !(s.ArchiveGiB >= 0 && s.ArchiveGiB <= maxArchiveGiB) {
		return s, fmt.Errorf("CUOTA_ARCHIVE_GIB is %v: give the size limit of the archive in GiB, at most %d, or "+
			"unset it for %d", s.ArchiveGiB, maxArchiveGiB, archive.DefaultLimit>>30)
	}
	if s.KeepDays < 0 || s.KeepDays > maxKeepDays {
		return s, fmt.Errorf("CUOTA_KEEP_DAYS is %d: give the number of days whose last batch stays readable, from 1 "+
			"to %d, or unset it for %d", s.KeepDays, maxKeepDays, projector.DefaultKeepDays)
	}
	if s.AccountsConnections < 1 || s.AccountsConnections > maxAccountsConnections {
		return s, fmt.Errorf("CUOTA_ACCOUNTS_CONNECTIONS is %d: give the largest number of PostgreSQL connections of "+
			"this process, from 1 to %d", s.AccountsConnections, maxAccountsConnections)
	}
	if s.Copy != "" && !store.CopyName.MatchString(s.Copy) {
		return s, fmt.Errorf("CUOTA_COPY is %q: name the copy with at most 32 of a to z, 0 to 9 and -, such as a, or "+
			"unset it if there is one copy", s.Copy)
	}
	if s.SlowStatement < 0 {
		return s, fmt.Errorf("CUOTA_SLOW_STATEMENT is %v: give a duration such as 1s, or 0s to log no slow statements",
			s.SlowStatement)
	}
	s.BaseURL = strings.TrimRight(s.BaseURL, "/")
	var err error
	if s.Objectives, err = model.ParseObjectives(s.Freshness); err != nil {
		return s, fmt.Errorf("CUOTA_FRESHNESS: %w", err)
	}
	if s.Proxies, err = parseProxies(s.TrustedProxies); err != nil {
		return s, fmt.Errorf("CUOTA_TRUSTED_PROXIES: %w", err)
	}
	return s, s.checkServers()
}

// Separate reports whether the engines run as servers.
func (s Settings) Separate() bool { return len(s.Kafka) > 0 || s.ClickHouse != "" || s.Accounts != "" }

// OrData adds to an error of Require that --data is the alternative.
func OrData(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w, or give --data to work on a data directory", err)
}

// Require fails with the names of the variables that a role lacks when it works with
// servers.
func (s Settings) Require(names ...string) error {
	values := map[string]string{
		"CUOTA_KAFKA": strings.Join(s.Kafka, ","), "CUOTA_CLICKHOUSE": s.ClickHouse, "CUOTA_ACCOUNTS": s.Accounts,
		"CUOTA_PEPPER": s.Pepper, "CUOTA_ARCHIVE": s.Archive, "CUOTA_CLICKHOUSE_OTHER": s.ClickHouseOther,
	}
	var missing []string
	for _, name := range names {
		if values[name] == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("set %s", strings.Join(missing, " and "))
	}
	return nil
}

// Logger logs text on a terminal and JSON elsewhere.
func (s Settings) Logger() zerolog.Logger {
	var out io.Writer = os.Stderr
	if output.OnTerminal(os.Stderr) {
		out = zerolog.ConsoleWriter{Out: os.Stderr, TimeFormat: time.TimeOnly}
	}
	level, err := zerolog.ParseLevel(s.LogLevel)
	if err != nil {
		level = zerolog.InfoLevel // cannot happen: Load has checked it
	}
	return zerolog.New(out).Level(level).With().Timestamp().Logger()
}
