package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/ingest"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/eventlog"
	"cuota/internal/loop"
	"cuota/projector"
)

// target is where a command finds the log and the tables: servers that the environment
// names, the engines of a running "cuota up", or engines that the command starts itself
// on a directory that no other process holds.
type target struct {
	brokers eventlog.Brokers
	conn    driver.Conn
	archive *ingest.Archive
	// api is the address of the API of a running "cuota up"; "" without one, and if the
	// tables are on a server.
	api string
	// engine is the state of the ClickHouse process of a running "cuota up"; nil without
	// one, and if the tables are on a server.
	engine *embedded.State
	// holder is the id of the process that runs the engines of the directory; 0 if it is
	// this process, and for servers.
	holder int
	// advice says what to do when the brokers do not answer.
	advice string
	// accounts is the address of the account store; "" if neither the directory nor the
	// environment names one.
	accounts string
	// pepper is the path of the secret of the account store; "" as above.
	pepper string
	// own says that this command runs the engines, so it must also project what it
	// ingests.
	own   bool
	close func(context.Context) error
}

// use is the purpose for which a command opens a target.
type use int

const (
	toRead  use = iota // read only
	toBuild            // build a batch: if the command runs the engines, it runs the projector too
	toFill             // publish files and build: a missing data directory is made
)

// withTarget opens the target, runs work with it, and closes it.
func withTarget(ctx context.Context, s settings, data string, log zerolog.Logger, purpose use, work func(*target) error) (err error) {
	target, err := openTarget(ctx, s, data, log, purpose)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.close(ctx)) }()
	if purpose >= toBuild && target.own {
		projection, err := startProjection(ctx, projector.Config{KeepDays: s.KeepDays, Freshness: s.objectives, Now: s.now}, target.brokers, target.conn, log)
		if err != nil {
			return err
		}
		defer func() { _ = projection.stop(ctx) }() // what is not yet stored is read again at the next start
		// The next command sees what this one has published, such as a file in quarantine.
		defer func() {
			if ctx.Err() == nil && (err == nil || errors.Is(err, errRejected)) {
				err = errors.Join(err, projection.stored(ctx))
			}
		}()
	}
	return advised(work(target), target.advice)
}

// ingester returns an Ingester that publishes to the target. On servers it first makes the
// topics; engines of our own have them. closed must be called after the last file.
func (s *target) ingester(ctx context.Context, log zerolog.Logger) (_ *ingest.Ingester, closed func(), err error) {
	if !s.own {
		if err := eventlog.EnsureTopics(ctx, s.brokers, topics()); err != nil {
			return nil, nil, err
		}
	}
	ingester, closed := newIngester(s.archive, s.brokers, log, log)
	return ingester, closed, nil
}

// newIngester returns an Ingester that waits while the projector is too far behind. Its
// writer logs to log, and everything else to quiet. closed must be called after the last
// file.
func newIngester(archive *ingest.Archive, brokers eventlog.Brokers, log, quiet zerolog.Logger) (_ *ingest.Ingester, closed func()) {
	writer := eventlog.NewWriter(brokers, log)
	return ingest.New(archive, newBackpressure(writer, brokers, quiet), quiet), writer.Close
}

// What to do when the brokers do not answer.
const (
	adviceServers = "check that the brokers in CUOTA_KAFKA run and can be reached from here, and whether they need TLS (CUOTA_KAFKA_TLS) or a user (CUOTA_KAFKA_SASL)"
	adviceHeld    = "check that process %d, which uses the data directory %s, still runs; if it does not, start cuota up again"
	adviceOwn     = "this command runs that broker itself: the log lines above say why it does not answer"
)

// advised adds the advice to an error of brokers that do not answer.
func advised(err error, advice string) error {
	if !errors.As(err, new(*eventlog.UnavailableError)) {
		return err
	}
	return fmt.Errorf("%w: %s", err, advice)
}

// openTarget finds the target. An explicit data directory takes precedence over the
// environment.
func openTarget(ctx context.Context, s settings, data string, log zerolog.Logger, purpose use) (*target, error) {
	if data == "" && s.separate() {
		return openSeparate(s, log)
	}
	open := openDirectory
	if purpose == toFill {
		open = makeDirectory
	}
	dir, err := open(cmp.Or(data, s.Data))
	if err != nil {
		return nil, err
	}
	return openWhenAnnounced(ctx, s, dir, log)
}

// announcePatience is how long a command waits for the process that holds a directory to
// announce its addresses. It is also how long it waits for that process's broker.
const announcePatience = 20 * time.Second

// openWhenAnnounced opens a directory.
func openWhenAnnounced(ctx context.Context, s settings, dir *dataDirectory, log zerolog.Logger) (*target, error) {
	at, err := takeOrFind(ctx, s, dir)
	switch {
	case err == nil:
		return openOwn(ctx, s, dir, log)
	case errors.Is(err, errHeld) && at.PID != 0:
		return openHeld(s, dir, at, log)
	}
	return nil, err
}

// takeOrFind takes a directory, or fails with errHeld and returns the addresses of the process
// that holds it. If that process is starting or stopping, it says so and waits. If the process
// has no addresses even then, their PID is 0.
func takeOrFind(ctx context.Context, s settings, dir *dataDirectory) (at addresses, err error) {
	limited, cancel := context.WithTimeout(ctx, announcePatience)
	defer cancel()
	said := false
	_ = loop.Until(limited, lookAgain, func() (bool, error) { // when limited ends, err is still errHeld
		if err = dir.take(); !errors.Is(err, errHeld) {
			return true, nil
		}
		var silent error
		if at, silent = dir.holder(); silent == nil {
			return true, nil
		}
		at, err = addresses{}, silent
		if errors.Is(err, errHeld) && !said {
			log := s.logger()
			log.Warn().Str("data", dir.path).Stringer("for", announcePatience).Msg("the process that uses the data directory is starting or stopping; waiting for it")
			said = true
		}
		return !errors.Is(err, errHeld), nil
	})
	return at, err
}

func openSeparate(s settings, log zerolog.Logger) (*target, error) {
	if err := s.require("CUOTA_KAFKA", "CUOTA_CLICKHOUSE", "CUOTA_ARCHIVE"); err != nil {
		return nil, orData(err)
	}
	brokers, err := s.kafkaServers()
	if err != nil {
		return nil, err
	}
	options, err := s.clickhouseServer()
	if err != nil {
		return nil, err
	}
	conn, err := s.openClickHouse(options, log, nil)
	if err != nil {
		return nil, err
	}
	return &target{
		brokers: brokers, conn: conn, archive: s.archiveIn(s.Archive), accounts: s.Accounts, pepper: s.Pepper, advice: adviceServers,
		close: func(context.Context) error { return conn.Close() },
	}, nil
}

// openHeld connects to the process that holds the directory. Its ClickHouse allows
// others only to read, which is all they need, because rows go through Kafka.
func openHeld(s settings, dir *dataDirectory, at addresses, log zerolog.Logger) (*target, error) {
	options := embedded.CommandOptions(at.Native, database, at.Key)
	if at.Native == "" { // its tables are on a server
		if err := s.require("CUOTA_CLICKHOUSE"); err != nil {
			return nil, fmt.Errorf("process %d keeps its tables on a ClickHouse server: %w", at.PID, err)
		}
		var err error
		if options, err = s.clickhouseServer(); err != nil {
			return nil, err
		}
	}
	conn, err := s.openClickHouse(options, log, nil)
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", at.PID, err)
	}
	brokers := at.brokers()
	brokers.Patience, brokers.Waiting = announcePatience, s.tellWaiting
	return &target{
		holder: at.PID, advice: fmt.Sprintf(adviceHeld, at.PID, dir.path),
		brokers: brokers, conn: conn, archive: s.archiveIn(dir.archive()), accounts: dir.accounts(), pepper: dir.pepper(), api: at.HTTP, engine: at.Engine,
		close: func(context.Context) error { return conn.Close() },
	}, nil
}

func openOwn(ctx context.Context, given settings, dir *dataDirectory, log zerolog.Logger) (*target, error) {
	running, err := startEnginesAlone(ctx, given, dir, log)
	if err != nil {
		return nil, errors.Join(err, dir.release())
	}
	conn, err := given.openClickHouse(running.options(), log, nil)
	if err != nil {
		return nil, errors.Join(err, running.stop(ctx), dir.release())
	}
	s := &target{
		brokers: running.brokers(), conn: conn, archive: given.archiveIn(dir.archive()), accounts: dir.accounts(), pepper: dir.pepper(), own: true, advice: adviceOwn,
		close: func(ctx context.Context) error {
			return errors.Join(conn.Close(), running.stop(ctx), dir.release())
		},
	}
	if err := errors.Join(dir.announce(running.addresses()), prepare(ctx, running.options(), running.cluster, s.brokers)); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}
