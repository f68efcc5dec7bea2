package firststart

import (
	"bytes"
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/flow"
	"cuota/cmd/cuota/flow/flowtest"
	"cuota/cmd/cuota/output"
	"cuota/demo"
	"cuota/internal/eventlog"
	"cuota/model"
)

func TestAMarkThatWasCutOffMeansThatNoMarketIsThere(t *testing.T) {
	dir, err := datadir.Make(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir.Market(), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for isDemo, files := range map[bool]string{true: "", false: "some/market"} {
		if wanted, err := FindMarket(dir, isDemo, files); err != nil || wanted == nil {
			t.Errorf("%q gives %v and %v, want a market to ingest", files, wanted, err)
		}
	}
}

func TestTheStepsOfAFirstStartSayHowManyFilesAndRowsAreIngested(t *testing.T) {
	brokers := flowtest.Log(t, flow.Topics())
	flowtest.Read(t, brokers)
	dir, err := datadir.Make(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	market, err := FindMarket(dir, true, "")
	if err != nil {
		t.Fatal(err)
	}
	steps := NewSteps()
	for _, step := range steps.List() {
		if step.Begun || step.Done || step.Percent != -1 {
			t.Errorf("before the start: %+v", step)
		}
	}
	// Whoever looks meanwhile sees numbers that only grow.
	ctx, stop := context.WithCancel(t.Context())
	looked := make(chan []Step)
	go func() {
		var seen []Step
		for ctx.Err() == nil {
			if now := steps.List()[0]; len(seen) == 0 || now != seen[len(seen)-1] {
				seen = append(seen, now)
			}
		}
		looked <- seen
	}()
	var out bytes.Buffer
	hashes, err := market.Ingest(t.Context(), environment.Settings{Now: time.Now}.ArchiveIn(dir.Archive()), dir,
		brokers, steps, &out, zerolog.Nop())
	stop()
	seen := <-looked
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(seen); i++ {
		if a, b := seen[i-1], seen[i]; b.Files < a.Files || b.Rows < a.Rows || b.Percent < a.Percent ||
			b.Percent > 100 {
			t.Errorf("%+v is followed by %+v", a, b)
		}
	}
	sources, err := demo.Sources()
	if err != nil {
		t.Fatal(err)
	}
	// No file of the demo is refused as a whole.
	if len(hashes) != len(sources) {
		t.Errorf("%d files, want %d", len(hashes), len(sources))
	}
	published := rowsIn(t, brokers)
	got := steps.List()[0]
	if got.Files != len(sources) || got.OfFiles != len(sources) || got.Percent != 100 || got.Done ||
		int64(got.Rows) != published {
		t.Errorf("after the last file: %+v; the log has %d rows", got, published)
	}

	steps.Storing(77)
	if list := steps.List(); !list[0].Done || list[1].Messages != 77 || list[1].Done {
		t.Errorf("while facts are stored: %+v", list)
	}
	steps.Building(output.Line{Stage: "stored"})
	steps.Building(output.Line{Stage: output.BuildingStage + "1", Value: 40})
	if list := steps.List(); !list[1].Done || list[1].Messages != 0 || list[2].Percent != 40 || list[3].Begun {
		t.Errorf("while the batch is built: %+v", list)
	}
	steps.End()
	if slices.ContainsFunc(steps.List(), func(step Step) bool { return !step.Done || step.Percent != 100 }) {
		t.Errorf("at the end: %+v", steps.List())
	}
	if none := (*Steps)(nil); none.List() != nil {
		t.Error("a start without a market has steps")
	}
}

// rowsIn counts the messages of all topics but those of the control topic.
func rowsIn(t *testing.T, brokers eventlog.Brokers) (rows int64) {
	t.Helper()
	lags, err := flow.LagGroup(brokers, zerolog.Nop()).Lag(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, lag := range lags {
		if lag.Topic != model.ControlTopic {
			rows += lag.End
		}
	}
	return rows
}
