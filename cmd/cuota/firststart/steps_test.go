package firststart

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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

func TestAStepIsReportedWithTheTimeThatItTook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		steps := NewSteps()
		steps.Begin(stepFiles)
		time.Sleep(1200 * time.Millisecond)
		if took := steps.Took(stepFiles); took != 1200*time.Millisecond {
			t.Errorf("while the files are ingested: %s", took)
		}
		steps.Begin(StepBatch)
		time.Sleep(31127 * time.Millisecond)
		steps.Begin(StepServe)
		time.Sleep(time.Hour) // what comes later belongs to no earlier step
		var out bytes.Buffer
		steps.Report(&out, "files ingested", stepFiles)
		steps.Report(&out, "batch built", StepBatch)
		if want := "  files ingested in 1.2s\n  batch built in 31.13s\n"; out.String() != want {
			t.Errorf("%q, want %q", out.String(), want)
		}
	})
}

func TestTheLogIsQuietUntilTheFirstStartHasEnded(t *testing.T) {
	var out bytes.Buffer
	log := zerolog.New(&out).Level(zerolog.InfoLevel)
	steps := NewSteps()
	program, statements := steps.quiet(log, zerolog.WarnLevel), steps.quiet(log, zerolog.ErrorLevel)
	requests := program.With().Str("component", "api").Logger() // what is derived from it is quiet too
	write := func() string {
		out.Reset()
		requests.Info().Msg("request")
		statements.Warn().Msg("slow")
		program.Warn().Msg("warning")
		statements.Error().Msg("error")
		var written []string
		for line := range strings.Lines(out.String()) {
			var got struct{ Message string }
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			written = append(written, got.Message)
		}
		return strings.Join(written, ", ")
	}
	if got := write(); got != "warning, error" {
		t.Errorf("during the first start the log has %s", got)
	}
	steps.End()
	if got := write(); got != "request, slow, warning, error" {
		t.Errorf("after it the log has %s", got)
	}
	out.Reset()
	detailed := NewSteps().quiet(log.Level(zerolog.DebugLevel), zerolog.WarnLevel)
	if detailed.Info().Msg("request"); out.Len() == 0 {
		t.Error("at the level debug the log is quiet")
	}
}

// The demo is introduced with the number of its series that have one day.
func TestTheDemoSaysForHowManySeriesItHasOneDay(t *testing.T) {
	dir := t.TempDir()
	if err := demo.Extract(dir); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "cartola", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	days := map[string]map[string]bool{} // by RUN and series
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			fields := strings.Split(line, ";")
			if len(fields) < 9 || fields[0] == "RUN_ADM" {
				continue
			}
			series := fields[2] + ";" + fields[8]
			if days[series] == nil {
				days[series] = map[string]bool{}
			}
			days[series][fields[3]] = true
		}
	}
	single := 0
	for _, of := range days {
		if len(of) == 1 {
			single++
		}
	}
	if want := fmt.Sprintf("%d,%03d", single/1000, single%1000) + " of its series"; !strings.Contains(fewDays, want) {
		t.Errorf("%q has not %q", fewDays, want)
	}
	market, err := FindMarket(&datadir.Directory{Path: t.TempDir()}, true, "")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if market.Introduce(&out); !strings.Contains(out.String(), "make demo-market") {
		t.Errorf("the demo is introduced with %q", out.String())
	}
}

// rowsIn counts the messages of all topics but those of the control topic.
func rowsIn(t *testing.T, brokers eventlog.Brokers) (rows int64) {
	t.Helper()
	lags, err := flow.LagGroup(brokers, "", zerolog.Nop()).Lag(t.Context())
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
