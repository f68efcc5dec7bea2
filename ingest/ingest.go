// Package ingest turns published files into events.
//
// It is the first stage of the flow. A file is archived under its hash, parsed strictly,
// validated row by row, and published as one event for each row. A manifest follows,
// which tells the projector how many rows to wait for. A rejected row goes to the
// dataset's reject topic with the reason; the other rows are still published.
//
// The same bytes always give the same messages: everything in an event comes from the
// payload and from the note that the archive made when it first saw the payload.
package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/errgroup"

	"cuota/ingest/archive"
	"cuota/ingest/drift"
	"cuota/ingest/encode"
	"cuota/ingest/excerpt"
	"cuota/ingest/parse"
	"cuota/model"
)

// Publisher sends events to the log.
type Publisher interface {
	// Publish returns nil only when every message is acknowledged. Messages with the
	// same key keep their order, within one call and over successive calls.
	Publish(ctx context.Context, topic string, messages []Message) error
}

// Message is one event: Key is its natural key, Value its JSON.
type Message struct{ Key, Value []byte }

// Ingester archives and publishes files. It keeps no state between files, and several
// goroutines may use it at once.
type Ingester struct {
	archive   *archive.Archive
	publisher Publisher
	log       zerolog.Logger
}

// New returns an Ingester. It does nothing until File or Again is called.
func New(into *archive.Archive, publisher Publisher, log zerolog.Logger) *Ingester {
	return &Ingester{archive: into, publisher: publisher, log: log}
}

// Request names the file to ingest.
type Request struct {
	Dataset model.Dataset
	Path    string
	// File is the name under which the bytes are archived the first time; empty: the
	// base name of Path.
	File string
	// Published is when the source published the file. Where it is zero, the instant at
	// which the bytes were first seen is used instead.
	Published time.Time
	// Progress, if set, is called after each acknowledged batch of messages, never by
	// two goroutines at once.
	Progress func(Progress)
}

// Progress says how far the ingestion of a file is: Bytes of Size are read, and so many
// rows are published and rejected.
type Progress struct {
	Bytes, Size         int64
	Published, Rejected uint64
}

// Report is the outcome of one file.
type Report struct {
	Dataset  model.Dataset
	File     string // base name under which the bytes are archived
	SHA256   string
	Revision int64 // Unix milliseconds
	// Refused says that no row was published: the file is not of the dataset, is in quarantine, or
	// was refused by a person. FirstRejects holds the reason, and there is no manifest.
	Refused      bool
	Quarantined  bool            // refused until a person decides: see Findings
	Findings     []model.Finding // in what the file differs from the files before it
	Read         uint64          // rows, without header and blank lines
	Published    uint64          // rows
	Keys         uint64          // distinct keys among the published rows
	Rejected     uint64          // rows
	FirstRejects []model.Reject  // at most five
	Cut          bool            // the payload ends inside a row, so the rest of the file is missing
	// Repeated counts rows that state the same as an earlier row of the file. Conflicting
	// counts rows that have the key of an earlier row and other values: the last one
	// counts. FirstConflicts shows at most five of them.
	Repeated, Conflicting uint64
	FirstConflicts        []Conflict
	// Unknown lists values that the program does not know, in columns that no number
	// depends on. Their rows are among the published ones.
	Unknown             []parse.UnknownValue
	FirstDate, LastDate model.Date // of the published rows; zero where the dataset has no dates
	Elapsed             time.Duration
}

const (
	// batchRows and batchBytes bound one batch of messages. With batchesAhead they bound
	// the memory of a file whose publisher is slow.
	batchRows    = 4096
	batchBytes   = 8 << 20
	batchesAhead = 2

	firstRejects = 5
)

// File archives the file and publishes its events. A rejected row, and a file that is
// refused as a whole, are in the Report and are not an error. An error means that the
// file is not completely published; ingesting it again is safe and completes it.
func (i *Ingester) File(ctx context.Context, request Request) (Report, error) {
	return i.logged(request.Path, func() (Report, error) {
		entry, refused, err := i.keep(ctx, request)
		if err != nil {
			return Report{}, err
		}
		return i.file(ctx, entry, refused, request.Progress)
	})
}

// Again publishes the events of a file that the archive holds under this hash, with the
// dataset and dates of the archive's note. It is for a newer version of the program,
// which may accept rows or a file that an earlier version rejected. It fails if the
// archive has no such file.
func (i *Ingester) Again(ctx context.Context, sha256 string, progress func(Progress)) (Report, error) {
	return i.logged(sha256, func() (Report, error) {
		entry, err := i.archive.Note(sha256)
		if errors.Is(err, fs.ErrNotExist) {
			return Report{}, errors.New("the archive does not have this file: ingest the original file again")
		}
		if err != nil {
			return Report{}, err
		}
		entry, refused, err := i.judge(ctx, entry, entry)
		if err != nil {
			return Report{}, err
		}
		return i.file(ctx, entry, refused, progress)
	})
}

// logged runs the work on a file, measures it and logs its result.
func (i *Ingester) logged(name string, work func() (Report, error)) (Report, error) {
	started := time.Now()
	if err := i.archive.SweepWhenDue(); err != nil {
		i.log.Warn().Err(err).Msg("some temporary files of killed processes could not be removed")
	}
	report, err := work()
	report.Elapsed = time.Since(started)
	if err != nil {
		return report, fmt.Errorf("ingest %s: %w", name, err)
	}
	log := i.log.With().Str("dataset", string(report.Dataset)).Str("file", filepath.Base(name)).Logger()
	for _, of := range report.Findings {
		if of.Kind == model.FindingUnknownValue {
			continue // below
		}
		log.Warn().Str("finding", string(of.Kind)).Str("column", of.Column).Str("before", of.Before).Str("now", of.Now).
			Uint32("line", of.Line).Bool("at_stake", of.AtStake).Msg("file differs from the files before it")
	}
	for _, reject := range report.FirstRejects {
		log.Warn().Uint32("line", reject.Line).Str("reason", reject.Reason).Msg("row rejected")
	}
	for _, conflict := range report.FirstConflicts {
		log.Warn().Uint32("line", conflict.Line).Uint32("later_line", conflict.Later).Str("differs",
			conflict.differs()).Msg("two rows have the same key and other values")
	}
	for _, unknown := range report.Unknown {
		log.Warn().Str("column", unknown.Column).Str("value", unknown.Value).Uint64("rows", unknown.Rows).
			Uint32("first_line", unknown.FirstLine).Msg("unknown value, kept as written")
	}
	log.Info().Str("sha256", report.SHA256).Int64("revision", report.Revision).Bool("refused",
		report.Refused).Bool("quarantined", report.Quarantined).
		Uint64("read", report.Read).Uint64("published", report.Published).Uint64("keys", report.Keys).
		Uint64("rejected", report.Rejected).Uint64("conflicting", report.Conflicting).Uint64("repeated",
		report.Repeated).Dur("elapsed_ms", report.Elapsed).Msg("file ingested")
	return report, nil
}

// file publishes a file that is archived and has its note.
func (i *Ingester) file(ctx context.Context, entry archive.Entry, refused *parse.Refusal,
	progress func(Progress)) (Report, error) {
	report := Report{Dataset: entry.Dataset, File: entry.File, SHA256: entry.SHA256, Revision: entry.Revision,
		Quarantined: entry.Quarantined, Findings: entry.Findings}
	if refused != nil {
		return i.refuse(ctx, report, entry, refused)
	}
	// check has just read the payload whole and compared its hash.
	payload, err := i.archive.OpenAgain(context.WithoutCancel(ctx), entry.SHA256) // publishing looks at ctx itself
	if err != nil {
		return report, err
	}
	defer func() { _ = payload.Close() }() // only read from: no data can be lost
	parser, err := parse.New(entry.ToParse(), payload)
	if err != nil {
		return report, err
	}
	if report, err = i.publish(ctx, progress, report, entry, parser); err != nil {
		return report, err
	}
	return report, i.showConflicts(ctx, entry, report.FirstConflicts)
}

// keep archives the file and writes its note from the request, unless the file is
// refused. Events are made only from the note that the archive then returns.
func (i *Ingester) keep(ctx context.Context, request Request) (archive.Entry, *parse.Refusal, error) {
	if _, err := model.ParseDataset(string(request.Dataset)); err != nil {
		return archive.Entry{}, nil, err
	}
	entry, err := i.archive.Keep(ctx, request.Path)
	if err != nil {
		return archive.Entry{}, nil, err
	}
	entry.Dataset, entry.Published = request.Dataset, request.Published
	if request.File != "" {
		entry.File = request.File
	}
	// The file's name is part of the events and, in some datasets, states the date. So
	// the name of the first time counts, whatever the file is called today.
	standing, err := i.archive.Note(entry.SHA256)
	if err == nil {
		entry.FirstSeen = standing.FirstSeen
		if standing.Refused == "" {
			entry.File = standing.File
		}
	}
	return i.judge(ctx, entry, standing)
}

// judge decides whether a file is refused, and writes its note. It parses the rows
// exactly as publishing will. standing is the note that the file has, if any.
func (i *Ingester) judge(ctx context.Context,
	entry, standing archive.Entry) (_ archive.Entry, _ *parse.Refusal, err error) {
	entry.Refused, entry.Quarantined = "", false
	if entry.Revision, err = entry.StatedRevision(); err != nil {
		return archive.Entry{}, nil, err
	}
	if standing.Decision == model.FileDeclined && standing.Dataset == entry.Dataset {
		return standing, &parse.Refusal{Reason: standing.Refused}, nil
	}
	refused, parser, profiler, err := i.check(ctx, entry)
	if err != nil {
		return archive.Entry{}, nil, err
	}
	taken := standing.SHA256 != "" && standing.Refused == "" // its judgement stays
	if refused == nil {
		entry.Profile = profiler.Profile()
		if !taken {
			if refused, err = i.compare(&entry, parser, profiler); err != nil {
				return archive.Entry{}, nil, err
			}
		}
	}
	if refused != nil {
		entry.Refused = refused.Reason
	}
	entry, err = i.archive.Enter(entry)
	return entry, refused, err
}

// check reads the payload before anything of it is published. It returns the reason if
// the payload is not a file of the dataset, and what it has read if it is.
func (i *Ingester) check(ctx context.Context,
	entry archive.Entry) (*parse.Refusal, *parse.Parser, *drift.Profiler, error) {
	payload, err := i.archive.Open(ctx, entry.SHA256)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() { _ = payload.Close() }()
	var profiler *drift.Profiler
	parser, err := parse.New(entry.ToParse(), payload)
	if err == nil {
		profiler = drift.NewProfiler(entry.ToParse(), parser)
		err = parser.Check(profiler)
	}
	if refused, is := errors.AsType[*parse.Refusal](err); is {
		return refused, nil, nil, nil
	}
	return nil, parser, profiler, err
}

func (i *Ingester) refuse(ctx context.Context, report Report, entry archive.Entry,
	refused *parse.Refusal) (Report, error) {
	reject := model.Reject{
		Source:  model.Source{SHA256: entry.SHA256, Line: 1, Revision: entry.Revision},
		Dataset: entry.Dataset,
		File:    entry.File,
		Reason:  refused.Reason,
		Raw:     excerpt.Row(refused.Head),
	}
	message, err := rejectMessage(reject)
	if err != nil {
		return report, err
	}
	if err := i.publisher.Publish(ctx, entry.Dataset.RejectTopic(), []Message{message}); err != nil {
		return report, fmt.Errorf("publish that the file was refused to %s: %w", entry.Dataset.RejectTopic(), err)
	}
	report.Refused, report.Rejected, report.FirstRejects = true, 1, []model.Reject{reject}
	if entry.Quarantined || entry.Decision != "" {
		return report, i.publishControl(ctx, model.Control{Judgement: judgementOf(entry)}, entry.SHA256)
	}
	return report, nil
}

// batch holds the messages of one or two calls of Publish, and the progress to report
// once they are acknowledged.
type batch struct {
	events, rejects []Message
	bytes           int
	progress        Progress
}

func (b *batch) full() bool {
	return len(b.events)+len(b.rejects) >= batchRows || b.bytes >= batchBytes
}

// publish parses the next batches while earlier ones are being acknowledged. The
// manifest goes last, when everything that it counts is stored.
func (i *Ingester) publish(ctx context.Context, progress func(Progress), report Report, entry archive.Entry,
	parser *parse.Parser) (Report, error) {
	batches := make(chan batch, batchesAhead)
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(batches)
		return readBatches(groupCtx, parser, entry.Size, &report, func(b batch) error {
			select {
			case batches <- b:
				return nil
			case <-groupCtx.Done():
				return groupCtx.Err()
			}
		})
	})
	group.Go(func() error {
		for b := range batches {
			if err := i.publishBatch(groupCtx, entry.Dataset, b); err != nil {
				return err
			}
			if progress != nil {
				progress(b.progress)
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return report, err
	}
	return report, i.publishManifest(ctx, report, entry)
}

func (i *Ingester) publishBatch(ctx context.Context, dataset model.Dataset, b batch) error {
	if len(b.events) > 0 {
		if err := i.publisher.Publish(ctx, dataset.Topic(), b.events); err != nil {
			return fmt.Errorf("publish %d events to %s: %w", len(b.events), dataset.Topic(), err)
		}
	}
	if len(b.rejects) > 0 {
		if err := i.publisher.Publish(ctx, dataset.RejectTopic(), b.rejects); err != nil {
			return fmt.Errorf("publish %d rejected rows to %s: %w", len(b.rejects), dataset.RejectTopic(), err)
		}
	}
	return nil
}

// publishManifest ends a file. Its judgement is in the same message, so that neither is
// stored without the other.
func (i *Ingester) publishManifest(ctx context.Context, report Report, entry archive.Entry) error {
	return i.publishControl(ctx, model.Control{Judgement: judgementOf(entry), Manifest: &model.Manifest{
		SHA256: report.SHA256, Dataset: report.Dataset, File: report.File, Revision: report.Revision,
		FirstDate: report.FirstDate, LastDate: report.LastDate,
		Rows: report.Read, Keys: report.Keys, Rejected: report.Rejected,
	}}, report.SHA256)
}

func (i *Ingester) publishControl(ctx context.Context, control model.Control, sha string) error {
	value, err := json.Marshal(control)
	if err != nil {
		return fmt.Errorf("encode the manifest: %w", err)
	}
	message := Message{Key: []byte(sha), Value: value}
	if err := i.publisher.Publish(ctx, model.ControlTopic, []Message{message}); err != nil {
		return fmt.Errorf("publish the manifest to %s: %w", model.ControlTopic, err)
	}
	return nil
}

// readBatches reads the payload to its end, counts into report, and passes full batches to
// hand in the order of the file. size is that of the payload, in bytes.
func readBatches(ctx context.Context, parser *parse.Parser, size int64, report *Report, hand func(batch) error) error {
	keys := newKeys()
	var b batch
	flush := func() error {
		b.progress = Progress{Bytes: parser.BytesRead(), Size: size, Published: report.Published,
			Rejected: report.Rejected}
		full := b
		b = batch{}
		if err := ctx.Err(); err != nil {
			return err
		}
		return hand(full)
	}
	for {
		result, err := parser.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		report.Read++
		report.Cut = report.Cut || result.Cut
		if result.Reject != nil {
			message, err := rejectMessage(*result.Reject)
			if err != nil {
				return err
			}
			b.rejects = append(b.rejects, message)
			b.bytes += len(message.Value)
			report.Rejected++
			if len(report.FirstRejects) < firstRejects {
				report.FirstRejects = append(report.FirstRejects, *result.Reject)
			}
		} else {
			if b.events == nil {
				b.events = make([]Message, 0, batchRows)
			}
			value, err := encode.Event(result.Event)
			if err != nil {
				return fmt.Errorf("line %d: %w", result.Event.From().Line, err)
			}
			message := Message{Key: []byte(result.Event.Key()), Value: value}
			b.events = append(b.events, message)
			b.bytes += len(message.Value)
			report.Published++
			keys.add(message, result.Event.From().Line, report)
			report.cover(result.Day)
		}
		if b.full() {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	report.Keys = keys.count()
	report.Unknown = parser.Unknown()
	return flush()
}

func rejectMessage(reject model.Reject) (Message, error) {
	value, err := json.Marshal(reject)
	if err != nil {
		return Message{}, fmt.Errorf("encode a rejected row: %w", err)
	}
	return Message{Key: []byte(reject.Key()), Value: value}, nil
}

// cover extends the report's range of dates to include the day.
func (r *Report) cover(day model.Date) {
	if day.IsZero() {
		return
	}
	if r.FirstDate.IsZero() || day.Compare(r.FirstDate) < 0 {
		r.FirstDate = day
	}
	if r.LastDate.IsZero() || day.Compare(r.LastDate) > 0 {
		r.LastDate = day
	}
}
