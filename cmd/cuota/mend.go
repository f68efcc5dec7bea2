package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"

	"cuota/internal/embedded/kafka"
)

// mendTables inspects the tables before anything is answered from them, and restores
// missing facts from the archive. The next batch computes damaged projections again. If
// the archive lacks a file, that is reported and is no error; nothing is answered from
// the damaged batch until the file is ingested again.
func (p *projection) mendTables(ctx context.Context, work republishing, first bool) error {
	found, err := p.projector.Inspect(ctx)
	if err != nil {
		return fmt.Errorf("inspect the tables: %w", err)
	}
	files := found.Files
	if len(found.Tables) > 0 {
		fmt.Fprintf(work.out, "Stored rows are damaged: %s.\nThe API answers 503 until they are restored.\n", found)
	}
	if !first {
		// Files whose ingestion was interrupted, or whose events were lost with the
		// damaged log.
		incomplete, err := p.incomplete(ctx, work)
		if err != nil {
			return err
		}
		files = append(files, incomplete...)
	}
	if len(files) == 0 {
		return nil
	}
	fmt.Fprintf(work.out, "Facts of %d files are missing: publishing them again from the archive.\n", len(files))
	if _, err := work.publish(ctx, files); err != nil && !errors.Is(err, errNotRestored) {
		return fmt.Errorf("restore files from the archive: %w", err)
	} else if err != nil {
		work.log.Error().Err(err).Msg("facts are still missing: ingest the original files again; the lines above name them")
	}
	return p.stored(ctx)
}

// incomplete lists the files of the archive whose facts will not arrive any more,
// because their ingestion was interrupted or the log lost events.
func (p *projection) incomplete(ctx context.Context, work republishing) ([]string, error) {
	look := func() ([]string, error) {
		if err := p.projector.Settle(ctx); err != nil {
			return nil, err
		}
		return work.incomplete(ctx, p.conn)
	}
	files, err := look()
	if err != nil || len(files) == 0 {
		return nil, err
	}
	if err := p.stored(ctx); err != nil {
		return nil, err
	}
	return look()
}

// setLogAside moves a damaged log away, so that an empty one can be started. It replaces
// the log that was last moved away. The files of unread events are in the archive.
func setLogAside(dir *dataDirectory, why error, log zerolog.Logger) error {
	aside := dir.kafka() + ".damaged"
	if err := os.RemoveAll(aside); err != nil {
		return errors.Join(why, fmt.Errorf("remove the Kafka log that an earlier start moved aside: %w", err))
	}
	if err := os.Rename(dir.kafka(), aside); err != nil {
		return errors.Join(why, fmt.Errorf("move the damaged Kafka log aside: %w", err))
	}
	log.Error().Err(why).Str("aside", filepath.Base(aside)).Msg("the Kafka log is damaged and was moved aside; an empty one replaces it, and files that were not stored yet are published again from the archive")
	return nil
}

// startLog starts the Kafka log at a listener, with the key of its clients. If the log is
// damaged, it starts an empty one.
func startLog(ctx context.Context, dir *dataDirectory, at enginePorts, key string, log zerolog.Logger) (*kafka.Server, error) {
	address := at.kafka.Addr().String()
	listener := at.kafka
	for again := false; ; again = true {
		broker, err := kafka.New(kafka.Config{
			Dir: dir.kafka(), Listener: listener, MaxBytes: maxLogBytes, Key: key, OwnGroups: []string{projectorGroup},
		}, log)
		if err != nil {
			return nil, err
		}
		err = broker.Start(ctx)
		if err == nil {
			return broker, nil
		}
		if again || !errors.Is(err, kafka.ErrDamaged) {
			return nil, err
		}
		if err := errors.Join(setLogAside(dir, err, log), closed(listener)); err != nil {
			return nil, err
		}
		if listener, err = listenOnLoopback(ctx, kafkaFlag, address); err != nil {
			return nil, err
		}
	}
}
