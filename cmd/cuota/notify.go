package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"
)

// tellSystemd notifies the service manager when the API first answers. If the manager
// watches the process, it then notifies it at intervals as long as the API answers. stop
// notifies it that the process is stopping. Without a service manager it does nothing.
func tellSystemd(ctx context.Context, api http.Handler, log zerolog.Logger) (stop func(context.Context) error, err error) {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return nil, fmt.Errorf("read the watchdog interval that systemd set: %w", err)
	}
	if err := answers(ctx, api); err != nil {
		return nil, err
	}
	tell := func(state string) {
		if _, err := daemon.SdNotify(false, state); err != nil {
			log.Warn().Err(err).Str("state", state).Msg("could not send a notification to systemd")
		}
	}
	tell(daemon.SdNotifyReady)
	watched, unwatch := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		if every > 0 {
			keepTelling(watched, every/3, api, func() { tell(daemon.SdNotifyWatchdog) }, log)
		}
	}()
	return func(ctx context.Context) error {
		tell(daemon.SdNotifyStopping)
		unwatch()
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return fmt.Errorf("wait for the last watchdog check to end: %w", ctx.Err())
		}
	}, nil
}

// keepTelling calls alive at intervals as long as the API answers.
func keepTelling(ctx context.Context, every time.Duration, api http.Handler, alive func(), log zerolog.Logger) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := answers(ctx, api); err == nil {
			alive()
		} else if ctx.Err() == nil {
			log.Error().Err(err).Msg("the API did not answer the watchdog check; systemd restarts the process if this goes on")
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// answers fails if the API gives no answer about its health. It calls the handler and
// does not use the network, because a flood of connections is no reason to be restarted.
func answers(ctx context.Context, api http.Handler) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/health", nil)
	if err != nil {
		return fmt.Errorf("call the health endpoint of the API: %w", err)
	}
	reply := &heard{header: http.Header{}, status: http.StatusOK}
	api.ServeHTTP(reply, request)
	if reply.status == http.StatusInternalServerError {
		return fmt.Errorf("call the health endpoint of the API: status %d", reply.status)
	}
	return nil
}

// heard is a ResponseWriter that keeps only the status.
type heard struct {
	header http.Header
	status int
}

func (h *heard) Header() http.Header { return h.header }

func (h *heard) WriteHeader(status int) { h.status = status }

func (h *heard) Write(text []byte) (int, error) { return len(text), nil }
