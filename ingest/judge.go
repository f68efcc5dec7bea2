package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"cuota/ingest/archive"
	"cuota/ingest/drift"
	"cuota/ingest/parse"
	"cuota/model"
)

// compare puts into the entry what its file has in other shapes than the files before it.
// It returns a refusal if wrong figures might be computed from that and no person has
// accepted the file.
func (i *Ingester) compare(entry *archive.Entry, parser *parse.Parser,
	profiler *drift.Profiler) (*parse.Refusal, error) {
	before, newest, err := i.archive.Before(*entry)
	if err != nil {
		return nil, fmt.Errorf("find the files before this one in the archive: %w", err)
	}
	entry.Findings, entry.Compared = profiler.Findings(entry.Profile, before), newest
	for _, of := range parser.Unknown() {
		entry.Findings = append(entry.Findings, of.Finding())
	}
	entry.Judged = i.archive.Now().UTC()
	if entry.Decision == model.FileAccepted {
		return nil, nil
	}
	var reasons []string
	for _, of := range entry.Findings {
		if of.AtStake {
			reasons = append(reasons, of.String())
		}
	}
	if len(reasons) == 0 {
		return nil, nil
	}
	if more := len(reasons) - firstReasons; more > 0 {
		reasons = append(reasons[:firstReasons], fmt.Sprintf("and %d more", more))
	}
	entry.Quarantined = true
	return &parse.Refusal{Reason: fmt.Sprintf(
		"quarantined, because wrong figures might be computed from it: %s. Nothing of the file was published. "+
			"Compare it with the source, and then run cuota rejected accept %.12[2]s, or cuota rejected refuse %.12[2]s",
		strings.Join(reasons, "; "), entry.SHA256)}, nil
}

// firstReasons is how many findings the reason of a quarantine names.
const firstReasons = 5

// judgementOf returns what is published about the comparison. It is nil if there was none.
func judgementOf(e archive.Entry) *model.Judgement {
	if e.Judged.IsZero() {
		return nil
	}
	state := model.FileTaken
	switch {
	case e.Quarantined:
		state = model.FileQuarantined
	case e.Decision != "":
		state = e.Decision
	}
	return &model.Judgement{
		SHA256: e.SHA256, Dataset: e.Dataset, File: e.File, Revision: e.Revision,
		State: state, Judged: e.Judged.UnixMilli(), Compared: e.Compared, Findings: e.Findings,
	}
}

// Accept publishes the events of a file that is in quarantine, or that a person refused. If an
// earlier call was interrupted, it publishes them again.
func (i *Ingester) Accept(ctx context.Context, sha string, progress func(Progress)) (Report, error) {
	return i.decide(sha, model.FileAccepted, func(entry archive.Entry) (Report, error) {
		refused, _, profiler, err := i.check(ctx, entry)
		if err != nil {
			return Report{}, err
		}
		if refused != nil { // a person can still refuse it
			return Report{}, fmt.Errorf("this version of the program can't read the file: %s", refused.Reason)
		}
		entry.Decision, entry.Refused, entry.Profile = model.FileAccepted, "", profiler.Profile()
		if entry, err = i.archive.Enter(entry); err != nil {
			return Report{}, err
		}
		return i.file(ctx, entry, nil, progress)
	})
}

// Decline records that a person refused a file that is in quarantine. It is not ingested
// again until a person accepts it.
func (i *Ingester) Decline(ctx context.Context, sha string) (Report, error) {
	return i.decide(sha, model.FileDeclined, func(entry archive.Entry) (Report, error) {
		entry.Decision = model.FileDeclined
		entry.Refused = fmt.Sprintf(
			"a person refused the file when it was quarantined; run cuota rejected accept %.12s to take it all the same", sha)
		entry, err := i.archive.Enter(entry)
		if err != nil {
			return Report{}, err
		}
		if entry.Decision != model.FileDeclined {
			return Report{}, errors.New(
				"another process has accepted the file meanwhile, and it is published: see cuota rejected list")
		}
		return i.file(ctx, entry, &parse.Refusal{Reason: entry.Refused}, nil)
	})
}

// decide runs the work on a file on which a person may decide in this way. Two opposite decisions at
// once would publish a file whose note says that it was refused, so one of them fails.
func (i *Ingester) decide(sha string, way model.FileState, work func(archive.Entry) (Report, error)) (Report, error) {
	return i.logged(sha, func() (report Report, err error) {
		unlock, err := i.archive.Lock()
		if err != nil {
			return Report{}, err
		}
		defer func() { err = errors.Join(err, unlock()) }()
		entry, err := i.archive.Note(sha)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Report{}, errors.New("the archive does not have this file: ingest the original file")
		case err != nil:
			return Report{}, err
		case !entry.Quarantined && entry.Decision != model.FileDeclined &&
			(way != model.FileAccepted || entry.Decision != way):
			return Report{}, errors.New(
				"the file is not in quarantine, so there is nothing to decide: see cuota rejected list")
		}
		entry.Quarantined, entry.Judged = false, i.archive.Now().UTC()
		return work(entry)
	})
}
