// Package connect finds what a subcommand works on: servers that the environment names, a running "cuota up",
// or a data directory whose engines the subcommand then runs itself.
package connect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/ingest"
	"cuota/ingest/archive"
	embedded "cuota/internal/embedded/clickhouse"
	"cuota/internal/eventlog"
	"cuota/internal/loop"
	"cuota/projector"
	"cuota/sql"
)

// Target is where a command finds the log and the tables: servers that the environment
// names, the engines of a running "cuota up", or engines that the command starts itself
// on a directory that no other process holds.
type Target struct {
	flow.Ends
	Archive *archive.Archive
	// Engine is the state of the ClickHouse process of a running "cuota up"; nil without
	// one, and if the tables are on a server.
	Engine *embedded.State
	// advice says what to do when the brokers do not answer.
	advice string
	// Accounts is the address of the account store; "" if neither the directory nor the
	// environment names one.
	Accounts string
	// Pepper is the path of the secret of the account store; "" as above.
	Pepper string
	// Own says that this command runs the engines, so it must also project what it
	// ingests.
	Own   bool
	close func(context.Context) error
}

// Use is the purpose for which a command opens a target.
type Use int

const (
	ToRead  Use = iota // read only
	ToBuild            // build a batch: if the command runs the engines, it runs the projector too
	ToFill             // publish files and build: a missing data directory is made
)

// With opens the target, runs work with it, and closes it.
func With(ctx context.Context, s environment.Settings, data string, log zerolog.Logger, purpose Use,
	work func(*Target) error) (err error) {
	target, err := openTarget(ctx, s, data, log, purpose)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.close(ctx)) }()
	if purpose >= ToBuild && target.Own {
		projection, err := flow.StartProjection(ctx,
			projector.Config{KeepDays: s.KeepDays, Freshness: s.Objectives, Now: s.Now}, target.Brokers, target.Conn,
			log)
		if err != nil {
			return err
		}
		defer func() { _ = projection.Stop(ctx) }() // what is not yet stored is read again at the next start
		// The next command sees what this one has published, such as a file in quarantine.
		defer func() {
			if ctx.Err() == nil && (err == nil || errors.Is(err, exit.ErrRejected)) {
				err = errors.Join(err, projection.Stored(ctx))
			}
		}()
	}
	return Advised(work(target), target.advice)
}

// Ingester returns an Ingester that publishes to the target. On servers it first makes the
// topics; engines of our own have them. closed must be called after the last file.
func (t *Target) Ingester(ctx context.Context, log zerolog.Logger) (_ *ingest.Ingester, closed func(), err error) {
	if !t.Own {
		if err := eventlog.EnsureTopics(ctx, t.Brokers, flow.Topics()); err != nil {
			return nil, nil, err
		}
	}
	ingester, closed := flow.NewIngester(t.Archive, t.Brokers, t.Copy, log, log)
	return ingester, closed, nil
}

// What to do when the brokers do not answer.
const (
	AdviceServers = "check that the brokers in CUOTA_KAFKA run and can be reached from here, and whether they need " +
		"TLS (CUOTA_KAFKA_TLS) or a user (CUOTA_KAFKA_SASL)"
	adviceHeld = "check that process %d, which uses the data directory %s, still runs; if it does not, start " +
		"cuota up again"
	adviceOwn = "this command runs that broker itself: the log lines above say why it does not answer"
)

// Advised adds the advice to an error of brokers that do not answer.
func Advised(err error, advice string) error {
	if !errors.As(err, new(*eventlog.UnavailableError)) {
		return err
	}
	return fmt.Errorf("%w: %s", err, advice)
}

// openTarget finds the target. An explicit data directory takes precedence over the
// environment.
func openTarget(ctx context.Context, s environment.Settings, data string, log zerolog.Logger,
	purpose Use) (*Target, error) {
	if data == "" && s.Separate() {
		return openSeparate(s, log)
	}
	open := datadir.Open
	if purpose == ToFill {
		open = datadir.Make
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
func openWhenAnnounced(ctx context.Context, s environment.Settings, dir *datadir.Directory,
	log zerolog.Logger) (*Target, error) {
	at, err := TakeOrFind(ctx, s, dir)
	switch {
	case err == nil:
		return openOwn(ctx, s, dir, log)
	case errors.Is(err, datadir.ErrHeld) && at.PID != 0:
		return openHeld(s, dir, at, log)
	}
	return nil, err
}

// TakeOrFind takes a directory, or fails with datadir.ErrHeld and returns the addresses of the process
// that holds it. If that process is starting or stopping, it says so and waits. If the process
// has no addresses even then, their PID is 0.
func TakeOrFind(ctx context.Context, s environment.Settings, dir *datadir.Directory) (at datadir.Addresses, err error) {
	limited, cancel := context.WithTimeout(ctx, announcePatience)
	defer cancel()
	said := false
	_ = loop.Until(limited, flow.LookAgain, func() (bool, error) { // when limited ends, err is still datadir.ErrHeld
		if err = dir.Take(); !errors.Is(err, datadir.ErrHeld) {
			return true, nil
		}
		var silent error
		if at, silent = dir.Holder(); silent == nil {
			return true, nil
		}
		at, err = datadir.Addresses{}, silent
		if errors.Is(err, datadir.ErrHeld) && !said {
			log := s.Logger()
			log.Warn().Str("data", dir.Path).Stringer("for",
				announcePatience).Msg("the process that uses the data directory is starting or stopping; waiting for it")
			said = true
		}
		return !errors.Is(err, datadir.ErrHeld), nil
	})
	return at, err
}

func openSeparate(s environment.Settings, log zerolog.Logger) (*Target, error) {
	if err := s.Require("CUOTA_KAFKA", "CUOTA_CLICKHOUSE", "CUOTA_ARCHIVE"); err != nil {
		return nil, environment.OrData(err)
	}
	brokers, err := s.KafkaServers()
	if err != nil {
		return nil, err
	}
	options, err := s.ClickHouseServer()
	if err != nil {
		return nil, err
	}
	conn, err := s.OpenClickHouse(options, log, sql.Watch{})
	if err != nil {
		return nil, err
	}
	return &Target{
		Ends: flow.Ends{Brokers: brokers, Conn: conn, Copy: s.Copy}, Archive: s.ArchiveIn(s.Archive),
		Accounts: s.Accounts,
		Pepper:   s.Pepper, advice: AdviceServers,
		close: func(context.Context) error { return conn.Close() },
	}, nil
}

// openHeld connects to the process that holds the directory. Its ClickHouse allows
// others only to read, which is all they need, because rows go through Kafka.
func openHeld(s environment.Settings, dir *datadir.Directory, at datadir.Addresses,
	log zerolog.Logger) (*Target, error) {
	options := embedded.CommandOptions(at.Native, datadir.Database, at.Key)
	if at.Native == "" { // its tables are on a server
		if err := s.Require("CUOTA_CLICKHOUSE"); err != nil {
			return nil, fmt.Errorf("process %d keeps its tables on a ClickHouse server: %w", at.PID, err)
		}
		var err error
		if options, err = s.ClickHouseServer(); err != nil {
			return nil, err
		}
	}
	conn, err := s.OpenClickHouse(options, log, sql.Watch{})
	if err != nil {
		return nil, fmt.Errorf("process %d: %w", at.PID, err)
	}
	brokers := at.Brokers()
	brokers.Patience, brokers.Waiting = announcePatience, s.TellWaiting
	return &Target{
		Ends:   flow.Ends{Brokers: brokers, Conn: conn, API: at.HTTP, Holder: at.PID},
		advice: fmt.Sprintf(adviceHeld, at.PID, dir.Path), Archive: s.ArchiveIn(dir.Archive()),
		Accounts: dir.Accounts(), Pepper: dir.Pepper(), Engine: at.Engine,
		close: func(context.Context) error { return conn.Close() },
	}, nil
}

func openOwn(ctx context.Context, given environment.Settings, dir *datadir.Directory,
	log zerolog.Logger) (*Target, error) {
	running, err := datadir.StartEnginesAlone(ctx, given, dir, log)
	if err != nil {
		return nil, errors.Join(err, dir.Release())
	}
	conn, err := given.OpenClickHouse(running.Options(), log, sql.Watch{})
	if err != nil {
		return nil, errors.Join(err, running.Stop(ctx), dir.Release())
	}
	s := &Target{
		Ends: flow.Ends{Brokers: running.Brokers(), Conn: conn}, Archive: given.ArchiveIn(dir.Archive()),
		Accounts: dir.Accounts(), Pepper: dir.Pepper(), Own: true, advice: adviceOwn,
		close: func(ctx context.Context) error {
			return errors.Join(conn.Close(), running.Stop(ctx), dir.Release())
		},
	}
	if err := errors.Join(dir.Announce(running.Addresses()),
		flow.Prepare(ctx, running.Options(), s.Brokers)); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}
