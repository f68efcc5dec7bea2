package traces_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"cuota/internal/testkit/waittest"
	"cuota/internal/traces"
	"cuota/internal/traces/tracestest"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/encoding/protowire"
)

// newTraces starts traces that go to an address, and returns them with their log.
func newTraces(t *testing.T, config traces.Config) (*traces.Traces, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{} // only the sender writes it, and tests read it after Stop
	made, err := traces.New(config, zerolog.New(log))
	if err == nil {
		err = made.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, made) })
	return made, log
}

func stop(t *testing.T, made *traces.Traces) {
	t.Helper()
	if err := made.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// makeSpans makes spans, and stops.
func makeSpans(t *testing.T, made *traces.Traces, count int) {
	t.Helper()
	for range count {
		_, span := made.Tracer().Start(t.Context(), "one")
		span.End()
	}
	stop(t, made)
}

// callers returns a context in which a caller's span is the parent.
func callers(t *testing.T, flags trace.TraceFlags) context.Context {
	t.Helper()
	return trace.ContextWithRemoteSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{0: 0xab, 15: 1}, SpanID: trace.SpanID{0: 0xcd, 7: 2}, TraceFlags: flags}))
}

func TestSpansComeToTheCollectorAsTheyWereMade(t *testing.T) {
	t.Parallel()
	receiver := tracestest.New(t, nil)
	made, log := newTraces(t, traces.Config{Endpoint: receiver.URL + "/v1/traces", Service: "funds", Ratio: 0})
	began := time.Date(2026, 5, 28, 12, 0, 0, 123, time.UTC)
	ctx, server := made.Tracer().Start(callers(t, trace.FlagsSampled), "GET /a", trace.WithTimestamp(began),
		trace.WithSpanKind(trace.SpanKindServer))
	_, statement := made.Tracer().Start(ctx, "query/market", trace.WithTimestamp(began.Add(1)),
		trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("db.system.name", "clickhouse")))
	statement.SetStatus(codes.Error, "the reason")
	statement.End(trace.WithTimestamp(began.Add(2)))
	server.SetAttributes(attribute.Int("http.response.status_code", 200))
	server.End(trace.WithTimestamp(began.Add(time.Second)))
	stop(t, made)

	id := func(span trace.Span) string { return span.SpanContext().SpanID().String() }
	want := []tracestest.Span{
		{Trace: "ab000000000000000000000000000001", ID: id(statement), Parent: id(server), Name: "query/market", Kind: 3,
			Began: began.Add(1), Ended: began.Add(2), Attributes: map[string]any{"db.system.name": "clickhouse"}, Status: 2,
			Flags: 0x101, Service: "funds"},
		{Trace: "ab000000000000000000000000000001", ID: id(server), Parent: "cd00000000000002", Name: "GET /a", Kind: 2,
			Began: began, Ended: began.Add(time.Second), Attributes: map[string]any{"http.response.status_code": int64(200)},
			Flags: 0x301, Service: "funds"},
	}
	if diff := cmp.Diff(want, receiver.Spans(), cmp.Comparer(time.Time.Equal)); diff != "" {
		t.Error(diff)
	}
	if got := made.Counts(); got != (traces.Counts{Sent: 2}) || log.Len() > 0 {
		t.Errorf("counted %+v and logged %s", got, log)
	}
}

func TestTheCallerDecidesAndElseTheRatio(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ctx   context.Context
		ratio float64
		want  int
	}{
		"sampled by the caller":     {callers(t, trace.FlagsSampled), 0, 1},
		"not sampled by the caller": {callers(t, 0), 1, 0},
		"no caller, all":            {t.Context(), 1, 1},
		"no caller, none":           {t.Context(), 0, 0},
	} {
		receiver := tracestest.New(t, nil)
		made, _ := newTraces(t, traces.Config{Endpoint: receiver.URL + "/v1/traces", Ratio: c.ratio})
		_, span := made.Tracer().Start(c.ctx, "one")
		span.End()
		stop(t, made)
		if got := len(receiver.Spans()); got != c.want {
			t.Errorf("%s: %d spans", name, got)
		}
	}
}

func TestSpansThatACollectorDoesNotTakeAreCounted(t *testing.T) {
	t.Parallel()
	const count = 4000 // more than may wait
	away := tracestest.New(t, nil)
	away.Close()
	made, log := newTraces(t, traces.Config{Endpoint: away.URL + "/v1/traces", Ratio: 1})
	makeSpans(t, made, count)
	if got := made.Counts(); got != (traces.Counts{Dropped: count}) {
		t.Errorf("counted %+v", got)
	}
	if strings.Count(log.String(), `"level":"warn"`) != 1 || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("logged %s", log)
	}
}

func TestSpansThatACollectorRefusesAreNotSentAgain(t *testing.T) {
	t.Parallel()
	receiver := tracestest.New(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	})
	made, log := newTraces(t, traces.Config{Endpoint: receiver.URL + "/v1/traces", Ratio: 1})
	makeSpans(t, made, 3)
	if got := made.Counts(); got != (traces.Counts{Refused: 3}) || len(receiver.Posts()) != 1 {
		t.Errorf("counted %+v in %d posts", got, len(receiver.Posts()))
	}
	if !strings.Contains(log.String(), "status 401") {
		t.Errorf("logged %s", log)
	}
}

func TestSpansOfABatchThatWereRejectedAreCounted(t *testing.T) {
	t.Parallel()
	receiver := tracestest.New(t, func(w http.ResponseWriter, _ *http.Request) {
		partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 2)
		w.Header().Set("Content-Type", "application/x-protobuf")
		_, _ = w.Write(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial))
	})
	made, log := newTraces(t, traces.Config{Endpoint: receiver.URL + "/v1/traces", Ratio: 1})
	makeSpans(t, made, 5)
	if got := made.Counts(); got != (traces.Counts{Sent: 3, Refused: 2}) {
		t.Errorf("counted %+v", got)
	}
	if strings.Count(log.String(), "rejected") != 1 {
		t.Errorf("logged %s", log)
	}
}

func TestABatchIsKeptWhileTheCollectorIsBusy(t *testing.T) {
	t.Parallel()
	answered := 0 // posts come one after the other
	receiver := tracestest.New(t, func(w http.ResponseWriter, _ *http.Request) {
		if answered++; answered == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	made, _ := newTraces(t, traces.Config{Endpoint: receiver.URL + "/v1/traces", Ratio: 1})
	for range 600 { // more than one batch
		_, span := made.Tracer().Start(t.Context(), "one")
		span.End()
	}
	waittest.Until(t, "the first batch is sent", func() bool { return len(receiver.Posts()) > 0 })
	stop(t, made)
	if got := made.Counts(); got != (traces.Counts{Sent: 600}) || len(receiver.Posts()) != 3 {
		t.Errorf("counted %+v in %d posts", got, len(receiver.Posts()))
	}
}

func TestHeadersGoToTheCollectorAlone(t *testing.T) {
	t.Parallel()
	elsewhere := tracestest.New(t, nil)
	receiver := tracestest.New(t, func(w http.ResponseWriter, request *http.Request) {
		http.Redirect(w, request, elsewhere.URL+"/v1/traces", http.StatusTemporaryRedirect)
	})
	away := tracestest.New(t, nil)
	away.Close()
	for _, address := range []string{receiver.URL, away.URL} {
		made, log := newTraces(t, traces.Config{Endpoint: address + "/v1/traces", Ratio: 1,
			Headers: http.Header{"Authorization": {"Bearer sesame"}}})
		makeSpans(t, made, 1)
		if log.Len() == 0 || strings.Contains(log.String(), "sesame") {
			t.Errorf("logged %s", log)
		}
	}
	if posts := receiver.Posts(); len(posts) != 1 || posts[0].Get("Authorization") != "Bearer sesame" {
		t.Errorf("the collector got %v", posts)
	}
	if posts := elsewhere.Posts(); len(posts) > 0 {
		t.Errorf("a redirect was followed with %v", posts)
	}
}

func TestWithoutTracesNothingIsMade(t *testing.T) {
	var off *traces.Traces
	if off.Tracer() != nil || off.Counts() != (traces.Counts{}) ||
		errors.Join(off.Start(), off.Stop(t.Context())) != nil {
		t.Error("it does something")
	}
}
