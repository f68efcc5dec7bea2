package datadir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rs/zerolog"

	"cuota/internal/embedded/kafka"
	"cuota/projector"
)

// setLogAside moves a damaged log away, so that an empty one can be started. It replaces
// the log that was last moved away. The files of unread events are in the archive.
func setLogAside(dir *Directory, why error, log zerolog.Logger) error {
	aside := dir.Kafka() + ".damaged"
	if err := os.RemoveAll(aside); err != nil {
		return errors.Join(why, fmt.Errorf("remove the Kafka log that an earlier start moved aside: %w", err))
	}
	if err := os.Rename(dir.Kafka(), aside); err != nil {
		return errors.Join(why, fmt.Errorf("move the damaged Kafka log aside: %w", err))
	}
	log.Error().Err(why).Str("aside",
		filepath.Base(aside)).Msg(
		"the Kafka log is damaged and was moved aside; an empty one replaces it, and files that were not stored yet " +
			"are published again from the archive")
	return nil
}

// startLog starts the Kafka log at a listener, with the key of its clients. If the log is
// damaged, it starts an empty one.
func startLog(ctx context.Context, dir *Directory, at EnginePorts, key string,
	log zerolog.Logger) (*kafka.Server, error) {
	address := at.Kafka.Addr().String()
	listener := at.Kafka
	for again := false; ; again = true {
		broker, err := kafka.New(kafka.Config{
			Dir: dir.Kafka(), Listener: listener, MaxBytes: maxLogBytes, Key: key, OwnGroups: []string{projector.Group},
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
		if err := errors.Join(setLogAside(dir, err, log), Close(listener)); err != nil {
			return nil, err
		}
		if listener, err = listenOnLoopback(ctx, KafkaFlag, address); err != nil {
			return nil, err
		}
	}
}
