package ingest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"cuota/internal/testkit/oddfiles"
	"cuota/model"
)

// seedsOfOddFiles is how many files of each kind are compared.
func seedsOfOddFiles() uint64 {
	if testing.Short() {
		return 20
	}
	return 300
}

// What is read from a file with odd content is what its generator states: the fate of each
// line, and each value.
func TestOddFilesAreReadAsTheirGeneratorStates(t *testing.T) {
	for _, kind := range oddfiles.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for seed := range seedsOfOddFiles() {
				file := oddfiles.New(kind, seed)
				if compareOdd(t, file); t.Failed() {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	}
}

func compareOdd(t *testing.T, file oddfiles.File) {
	t.Helper()
	h := newHarness(t)
	report, err := h.File(t.Context(), Request{Dataset: file.Dataset, Path: fileOf(t, file.Name, string(file.Content)),
		Published: oddfiles.Published})
	if err != nil {
		t.Fatal(err)
	}
	if report.Refused {
		t.Errorf("refused: %s", report.FirstRejects[0].Reason)
		return
	}
	events, reasons := map[uint32]map[string]any{}, map[uint32]string{}
	for _, message := range h.out.topics[file.Dataset.Topic()] {
		event := decoded[map[string]any](t, message)
		events[uint32(event["line"].(float64))] = event
	}
	for _, message := range h.out.topics[file.Dataset.RejectTopic()] {
		reject := decoded[model.Reject](t, message)
		reasons[reject.Line] = reject.Reason
	}
	for _, line := range file.Lines {
		event, kept := events[line.Number]
		switch reason, rejected := reasons[line.Number]; {
		case kept == rejected:
			t.Errorf("line %d is kept: %t, rejected: %t", line.Number, kept, rejected)
		case line.Reason != "" && !strings.Contains(reason, line.Reason):
			t.Errorf("line %d is kept or rejected for %q, want %q; %v", line.Number, reason, line.Reason, event)
		case line.Reason == "" && rejected:
			t.Errorf("line %d is rejected for %q, want %v", line.Number, reason, line.Fields)
		case line.Reason == "":
			for name, want := range line.Fields {
				if got := event[name]; fieldText(got) != fieldText(want) {
					t.Errorf("line %d: %s is %v, want %v", line.Number, name, got, want)
				}
			}
		}
		delete(events, line.Number)
		delete(reasons, line.Number)
	}
	for number := range events {
		t.Errorf("line %d holds no row, and is kept", number)
	}
	for number, reason := range reasons {
		t.Errorf("line %d holds no row, and is rejected for %q", number, reason)
	}
	if kept := uint64(len(file.Kept())); report.Keys != kept {
		t.Errorf("%d keys, want %d", report.Keys, kept)
	}
}

// fieldText writes a field of JSON in the way of the generator. No field and an empty one
// are the same.
func fieldText(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case float64:
		return fmt.Sprintf("%.0f", value)
	}
	text, _ := json.Marshal(value)
	return string(text)
}
