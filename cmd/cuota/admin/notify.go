package admin

import (
	"context"
	"fmt"
	"net/http"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/rs/zerolog"

	"cuota/internal/loop"
)

// NotifySystemd notifies the service manager when the API first answers. If the manager
// watches the process, it then notifies it at intervals as long as the API answers. stop
// notifies it that the process is stopping. Without a service manager it does nothing.
func NotifySystemd(ctx context.Context, api http.Handler,
	log zerolog.Logger) (stop func(context.Context) error, err error) {
	every, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		return nil, fmt.Errorf("read the watchdog interval that systemd set: %w", err)
	}
	if err := checkAnswer(ctx, api); err != nil {
		return nil, err
	}
	tell := func(state string) {
		if _, err := daemon.SdNotify(false, state); err != nil {
			log.Warn().Err(err).Str("state", state).Msg("could not send a notification to systemd")
		}
	}
	tell(daemon.SdNotifyReady)
	var watch loop.Loop
	if every > 0 {
		err = watch.Start(func(ctx context.Context) {
			loop.Every(ctx, every/3, func() {
				if err := checkAnswer(ctx, api); err == nil {
					tell(daemon.SdNotifyWatchdog)
				} else if ctx.Err() == nil {
					log.Error().Err(err).Msg(
						"the API did not answer the watchdog check; systemd restarts the process if this goes on")
				}
			})
		})
	}
	return func(ctx context.Context) error {
		tell(daemon.SdNotifyStopping)
		if err := watch.Stop(ctx); err != nil {
			return fmt.Errorf("wait for the last watchdog check to end: %w", err)
		}
		return nil
	}, err
}

// checkAnswer fails if the API gives no answer about its health. It calls the handler and
// does not use the network, because a flood of connections is no reason to be restarted.
func checkAnswer(ctx context.Context, api http.Handler) error {
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
