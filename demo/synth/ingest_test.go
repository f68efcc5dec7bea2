package synth

import (
	"context"
	"encoding/json"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/ingest"
	"cuota/ingest/archive"
	"cuota/model"
)

// recorder is an ingest.Publisher that records the messages.
type recorder struct {
	mu     sync.Mutex
	topics map[string][]ingest.Message
}

func (r *recorder) Publish(ctx context.Context, topic string, messages []ingest.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.topics[topic] = append(r.topics[topic], messages...)
	return ctx.Err()
}

func TestTheParsersTakeEveryFileAndRejectTheBrokenRowsAlone(t *testing.T) {
	config := small(1)
	config.Bad = .003
	dir, e := written(t, config)
	out := &recorder{topics: map[string][]ingest.Message{}}
	clock := func() time.Time { return time.Date(2025, time.July, 23, 12, 0, 0, 0, time.UTC) }
	ingester := ingest.New(archive.New(filepath.Join(t.TempDir(), "archive"), clock), out, zerolog.Nop())
	truth := map[string]CartolaFile{}
	for _, file := range e.Cartola {
		truth[file.File] = file
	}
	for _, file := range listed(t, dir) {
		report, err := ingester.File(t.Context(), ingest.Request{
			Dataset: file.dataset, Path: filepath.Join(dir, filepath.FromSlash(file.file)),
			Published: file.published.Time(),
		})
		if err != nil {
			t.Fatal(err)
		}
		rejected := 0
		for _, n := range truth[file.file].Rejected {
			rejected += n
		}
		if report.Refused || report.Read == 0 || int(report.Rejected) != rejected {
			t.Errorf("%s: refused %t, read %d, rejected %d, want %d: %+v", file.file, report.Refused, report.Read,
				report.Rejected, rejected, report.FirstRejects)
		}
		if file.dataset == model.Cartola {
			if int(report.Read) != truth[file.file].Rows || report.Keys != report.Published {
				t.Errorf("%s: read %d rows, want %d; %d keys of %d rows", file.file, report.Read, truth[file.file].Rows,
					report.Keys, report.Published)
			}
		}
	}
	// Each rejected row is one of the broken rows, and its day is known if the fault allows it.
	broken := faulty(e)
	rejects := out.topics[model.Cartola.RejectTopic()]
	if len(rejects) != len(broken) || len(broken) < 30 {
		t.Errorf("%d rows rejected, want %d", len(rejects), len(broken))
	}
	for _, message := range rejects {
		var got model.Reject
		if err := json.Unmarshal(message.Value, &got); err != nil {
			t.Fatal(err)
		}
		want, found := broken[place{"cartola/" + got.File, int(got.Line)}]
		if !found {
			t.Errorf("line %d of %s was not broken: %s", got.Line, got.File, got.Reason)
			continue
		}
		if known := want.Fault != faultNames[date]; got.HasDay() != known ||
			known && (got.RUN != want.Run || got.Serie != want.Serie || got.Date != want.Date) {
			t.Errorf("%+v is of %s %s %s", want, got.RUN, got.Serie, got.Date)
		}
	}
	if events := len(out.topics[model.Cartola.Topic()]); events+len(rejects) != int(e.Rows) {
		t.Errorf("%d events and %d rejects of %d rows", events, len(rejects), e.Rows)
	}
}
