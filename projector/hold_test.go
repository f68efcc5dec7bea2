package projector_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/model"
	"cuota/projector"
)

func TestNothingIsStoredOrBuiltWhileTheProjectorIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The projector has no connection, so any write panics.
		p := projector.New(projector.Config{}, nil, zerolog.Nop())
		writers := map[string]func(context.Context) error{
			"store": func(ctx context.Context) error {
				return p.Consume(ctx, []kafka.Message{{Topic: model.ControlTopic, Value: []byte(`{"manifest":{}}`)}})
			},
			"settle": p.Settle,
			"build":  func(ctx context.Context) error { _, err := p.Build(ctx, false); return err },
		}
		err := p.Hold(t.Context(), func(context.Context) error {
			for name, write := range writers {
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- write(ctx) }()
				synctest.Wait()
				if len(ended) > 0 {
					t.Errorf("%s ended with %v while the projector was held", name, <-ended)
				}
				cancel()
				if err := <-ended; !errors.Is(err, context.Canceled) {
					t.Errorf("%s, given up, ended with %v", name, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
