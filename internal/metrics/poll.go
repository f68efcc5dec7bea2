package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"cuota/internal/loop"
)

// Source is something outside the process from which metrics are read at intervals,
// independently of requests and scrapes.
type Source struct {
	Name string
	// Read returns samples by the name of the metric. A metric that it leaves out is absent from
	// scrapes.
	Read func(context.Context) (map[string][]Sample, error)
	// Names are all metrics that Read may return.
	Names []string
}

// pollWithin limits one read, so that a source that hangs is reported as failing.
const pollWithin = 10 * time.Second

// Poll reads sources at intervals. Use it as Metrics.Poll, Start, Stop.
type Poll struct {
	sources []*polled
	every   time.Duration
	log     zerolog.Logger
	stop    context.CancelFunc
	running sync.WaitGroup
}

type polled struct {
	Source
	mu   sync.Mutex
	last map[string][]Sample
	up   bool
	past bool // there was at least one read
}

// Poll registers the metrics of sources. The sources are read at the given interval after
// Start.
func (m *Metrics) Poll(every time.Duration, log zerolog.Logger, sources ...Source) *Poll {
	p := &Poll{every: every, log: log}
	for _, source := range sources {
		one := &polled{Source: source}
		p.sources = append(p.sources, one)
		for _, name := range source.Names {
			m.Sampled(name, func() []Sample { return one.samples(name) })
		}
	}
	m.Sampled("cuota_source_up", func() []Sample {
		var list []Sample
		for _, one := range p.sources {
			if up, past := one.state(); past {
				list = append(list, Sample{Truth(up), []string{one.Name}})
			}
		}
		return list
	})
	return p
}

// Start reads every source now and then at intervals. Each source has a goroutine of its own,
// so a source that hangs does not delay the others.
func (p *Poll) Start() {
	ctx, stop := context.WithCancel(context.Background())
	p.stop = stop
	for _, one := range p.sources {
		p.running.Go(func() { loop.Every(ctx, p.every, func() { p.look(ctx, one) }) })
	}
}

// Stop ends the reads and waits for those in progress.
func (p *Poll) Stop(context.Context) error {
	if p.stop != nil {
		p.stop()
		p.running.Wait()
	}
	return nil
}

// look reads a source once.
func (p *Poll) look(ctx context.Context, one *polled) {
	limited, cancel := context.WithTimeout(ctx, pollWithin)
	defer cancel()
	found, err := one.Read(limited)
	if ctx.Err() != nil {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	switch was := one.up || !one.past; {
	case err != nil && was:
		p.log.Warn().Err(err).Str("source", one.Name).Msg("can't read the metrics of a source; trying again")
	case err == nil && !was:
		p.log.Info().Str("source", one.Name).Msg("reading the metrics of a source again")
	}
	one.past, one.up = true, err == nil
	if err == nil {
		one.last = found
	}
}

func (one *polled) samples(name string) []Sample {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.last[name]
}

func (one *polled) state() (up, past bool) {
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.up, one.past
}
