package notary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/mod/sumdb/tlog"

	"cuota/internal/durable"
	"cuota/internal/loop"
)

// Batch is a published batch whose rows are kept and not damaged.
type Batch struct {
	Batch   uint64 `ch:"batch"` // number in its tables
	BatchID string `ch:"batch_id"`
	Number  uint64 `ch:"number"` // of its plan
	AsOf    string `ch:"as_of"`  // cutoff, YYYY-MM-DD; "" if there is none
	Rules   string `ch:"rules"`  // hex
}

// Source is what the notary reads of the tables, and where it notes what it has signed.
type Source interface {
	// Batches returns the batches by their number.
	Batches(context.Context) ([]Batch, error)
	// Files returns the files of a batch, also of one that is not kept.
	Files(ctx context.Context, batch uint64) ([]File, error)
	// Sums returns a checksum of 16 hex digits for each table that has rows of a batch.
	Sums(ctx context.Context, batch uint64) (map[string]string, error)
	// Heads returns the newest checkpoints that were noted, of any log.
	Heads(context.Context) ([]Checkpoint, error)
	// Note keeps a checkpoint that was signed.
	Note(context.Context, Checkpoint) error
	// Whole reports whether the tables were inspected since rows may have been lost.
	Whole(context.Context) (bool, error)
	// Rules is the checksum of the statements of this program.
	Rules() string
}

// Notary appends a leaf for each published batch. It looks for batches at intervals, so it catches up after a pause
// with those that are kept.
type Notary struct {
	dir    string
	source Source
	log    zerolog.Logger
	loop   loop.Loop

	kept  *Log                // nil: it must be opened
	noted map[int64]tlog.Hash // by size: roots that were signed for this log
	lock  *os.File            // held while kept is set

	mu     sync.Mutex
	leaves int64
	fault  error
}

// New makes a notary for a directory, which it makes if it is missing. It does nothing before Start.
func New(dir string, source Source, log zerolog.Logger) *Notary {
	return &Notary{dir: dir, source: source, log: log}
}

// Pauses between two looks for batches. A look that fails may have read all rows of a batch, so the pause doubles.
const (
	lookEvery   = 5 * time.Second
	longestLook = 10 * time.Minute
)

// Start looks for batches in the background.
func (n *Notary) Start() error {
	return n.loop.Start(func(ctx context.Context) {
		var failed time.Duration // the pause after the last look, if it failed
		for ctx.Err() == nil {
			pause := lookEvery
			err := n.Look(ctx)
			switch {
			case ctx.Err() != nil:
			case err != nil:
				if failed == 0 {
					n.log.Warn().Err(err).Msg("can't append batches to the log; trying again")
				}
				failed = min(max(lookEvery, 2*failed), longestLook)
				pause = failed
			case failed > 0:
				n.log.Info().Msg("appending batches to the log again")
				failed = 0
			}
			_ = loop.Pause(ctx, pause) // its error is that of ctx
		}
	})
}

// Stop ends a look in progress, and returns when it has ended or with ctx's error.
func (n *Notary) Stop(ctx context.Context) error {
	if err := n.loop.Stop(ctx); err != nil {
		return fmt.Errorf("wait for the notary: %w", err)
	}
	return n.unlock()
}

// Alive fails if the loop has ended by itself.
func (n *Notary) Alive() error { return n.loop.Alive() }

// Fault returns why nothing is appended until an operator has acted and started the process again; nil if nothing is
// wrong.
func (n *Notary) Fault() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.fault
}

// Leaves returns how many leaves the log has.
func (n *Notary) Leaves() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.leaves
}

// Look appends the batches that the log lacks, the oldest first. The first look examines the log. After a FaultError it
// does nothing any more.
func (n *Notary) Look(ctx context.Context) error {
	if n.Fault() != nil {
		return nil
	}
	err := n.look(ctx)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.kept != nil {
		n.leaves = n.kept.Head.Size
	}
	if errors.As(err, new(FaultError)) {
		n.fault = err
		if err := durable.Replace(filepath.Join(n.dir, faultName), []byte(err.Error()+"\n"), 0o644); err != nil {
			n.log.Error().Err(err).Msg("cuota status can't show why nothing is appended to the log of batches")
		}
		n.log.Error().Err(err).Msg("nothing is appended to the log of batches until this is mended and the process is " +
			"started again; batches and answers go on")
		return nil
	}
	return err
}

func (n *Notary) look(ctx context.Context) error {
	if whole, err := n.source.Whole(ctx); err != nil || !whole {
		return err
	}
	if n.kept == nil {
		if err := n.begin(ctx); err != nil {
			return err
		}
	}
	batches, err := n.source.Batches(ctx)
	if err != nil {
		return err
	}
	for _, batch := range batches {
		if batch.Number <= n.kept.last().Number {
			continue
		}
		leaf, err := leafOf(ctx, n.source, batch, true)
		if err != nil {
			return err
		}
		if certain, err := n.stillThere(ctx, batch); err != nil || !certain {
			return err
		}
		if err := n.append(ctx, leaf); err != nil {
			n.kept = nil // it is not known how far Append came
			return err
		}
		n.log.Info().Str("batch_id", leaf.BatchID).Int64("leaves", n.kept.Head.Size).Msg("batch appended to the log")
	}
	for size := range n.noted {
		if size > n.kept.Head.Size {
			return n.wasCut(size)
		}
	}
	return nil
}

func (n *Notary) wasCut(size int64) error {
	return n.kept.inLog(faultf("it has %d leaves, and a checkpoint of %d that other leaves give was signed before: the log "+
		"was cut; put its newest copy back, or move the directory away and create the empty file %s, to begin a log of "+
		"another name", n.kept.Head.Size, size, n.kept.path(beginName)))
}

// leafOf makes the leaf of a batch, with or without checksums of its tables, for which every row is read.
func leafOf(ctx context.Context, source Source, batch Batch, withTables bool) (Leaf, error) {
	list, err := source.Files(ctx, batch.Batch)
	if err != nil {
		return Leaf{}, err
	}
	files, err := FilesOf(list)
	if err != nil {
		return Leaf{}, err
	}
	leaf := Leaf{AsOf: batch.AsOf, BatchID: batch.BatchID, Files: files, Number: batch.Number, Rules: batch.Rules}
	if withTables {
		leaf.Tables, err = source.Sums(ctx, batch.Batch)
	}
	return leaf, err
}

// stillThere reports whether no rows of a batch were dropped or lost while they were read.
func (n *Notary) stillThere(ctx context.Context, batch Batch) (bool, error) {
	whole, err := n.source.Whole(ctx)
	if err != nil || !whole {
		return false, err
	}
	batches, err := n.source.Batches(ctx)
	return slices.Contains(batches, batch), err
}

// append notes the checkpoint of the log with one more leaf, and then adds the leaf. It never signs two roots for one
// size: the tables know those that were signed before the log was cut or restored from a backup, and also one that was
// noted by a process that then ended.
func (n *Notary) append(ctx context.Context, leaf Leaf) error {
	line, err := leaf.Encode()
	if err != nil {
		return err
	}
	next, root, err := n.kept.grown(line)
	if err != nil {
		return err
	}
	if before, is := n.noted[next.size]; is && before != root {
		return n.wasCut(next.size)
	}
	if err := n.note(ctx, Checkpoint{Origin: n.kept.Head.Origin, Size: next.size, Root: root}); err != nil {
		return err
	}
	return n.kept.Append(leaf)
}

// note keeps a checkpoint in the tables, unless it is there.
func (n *Notary) note(ctx context.Context, head Checkpoint) error {
	if _, is := n.noted[head.Size]; is {
		return nil
	}
	if err := n.source.Note(ctx, head); err != nil {
		return fmt.Errorf("note the checkpoint of %d leaves: %w", head.Size, err)
	}
	n.noted[head.Size] = head.Root
	return nil
}

// begin opens the log and compares it with the tables, or makes it.
func (n *Notary) begin(ctx context.Context) error {
	if err := n.take(); err != nil {
		return err
	}
	opened, heads, err := examine(ctx, n.dir, n.source)
	if errors.Is(err, ErrNoLog) {
		opened, err = Create(n.dir)
	}
	if err == nil {
		err = n.compare(ctx, opened)
	}
	if err != nil {
		return err
	}
	for _, done := range []string{beginName, faultName} {
		if err := os.Remove(opened.path(done)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	n.noted = map[int64]tlog.Hash{}
	for _, head := range heads {
		if head.Origin == opened.Head.Origin {
			n.noted[head.Size] = head.Root
		}
	}
	if err := n.note(ctx, opened.Head); err != nil { // it is not there in a new log, or if the tables were set back
		return err
	}
	n.kept = opened
	return nil
}

// take locks the directory, so that one process appends. The kernel unlocks it when the process ends.
func (n *Notary) take() error {
	if n.lock != nil {
		return nil
	}
	if err := makeFolder(n.dir); err != nil {
		return err
	}
	lock, err := os.OpenFile((&Log{dir: n.dir}).path(lockName), os.O_CREATE|os.O_RDWR, 0o640)
	if err != nil {
		return err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.Join(fmt.Errorf("another process appends to the log in %s: %w", n.dir, err), lock.Close())
	}
	n.lock = lock
	return nil
}

func (n *Notary) unlock() error {
	lock := n.lock
	n.lock, n.kept = nil, nil
	if lock == nil {
		return nil
	}
	return lock.Close()
}

// Examine opens the log of a directory. It fails with a FaultError if the log is damaged, is gone or is not that of
// the checkpoints that were signed, or if the process that appends has stopped to. Of the tables it only reads those
// checkpoints. It fails with ErrNoLog if no log was begun.
func Examine(ctx context.Context, dir string, source Source) (*Log, error) {
	l, _, err := examine(ctx, dir, source)
	if err != nil {
		return nil, err
	}
	switch why, err := readBounded(l.path(faultName), maxKey); {
	case errors.Is(err, fs.ErrNotExist):
		return l, nil
	case err != nil:
		return nil, err
	default:
		return nil, faultf("%s", bytes.TrimSpace(why))
	}
}

// examine does the work of Examine, whatever a process has found before. It also returns the checkpoints that were
// signed, those of logs of other names too.
func examine(ctx context.Context, dir string, source Source) (*Log, []Checkpoint, error) {
	heads, err := source.Heads(ctx)
	if err != nil {
		return nil, nil, err
	}
	l, err := Open(dir)
	if errors.Is(err, ErrNoLog) && len(heads) > 0 {
		begin := (&Log{dir: dir}).path(beginName)
		if _, statErr := os.Stat(begin); statErr != nil {
			err = faultf("the log %s of %d leaves is gone from %s: put it back from a backup, or create the empty file %s to "+
				"begin a log of another name", heads[0].Origin, heads[0].Size, dir, begin)
		}
	}
	if err != nil {
		return nil, heads, err
	}
	for _, head := range heads {
		if head.Origin != l.Head.Origin || head.Size > l.tree.size {
			continue // what comes next must give this root
		}
		if root, err := tlog.TreeHash(head.Size, &l.tree); err != nil || root != head.Root {
			return nil, heads, l.inLog(faultf("a checkpoint of %d leaves with another root was signed before: the log was "+
				"forked; put its right copy back", head.Size))
		}
	}
	if !l.hidden {
		err = l.mayAppend()
	}
	return l, heads, l.inLog(err)
}

// compare compares the leaves of kept batches with the tables: their names, cutoffs and files, and if this program
// computed the batch of the last leaf, the rows of that one too.
func (n *Notary) compare(ctx context.Context, l *Log) error {
	batches, err := n.source.Batches(ctx)
	if err != nil {
		return err
	}
	of := map[uint64]Batch{}
	for _, batch := range batches {
		of[batch.Number] = batch
	}
	for index, stored := range l.leaves {
		batch, kept := of[stored.Number]
		if !kept {
			continue
		}
		whole := index == len(l.leaves)-1 && batch.Rules == n.source.Rules()
		now, err := leafOf(ctx, n.source, batch, whole)
		if err != nil {
			return err
		}
		if now.BatchID == stored.BatchID && now.AsOf == stored.AsOf && now.Files == stored.Files &&
			(!whole || now.Rules == stored.Rules && maps.Equal(now.Tables, stored.Tables)) {
			continue
		}
		switch certain, err := n.stillThere(ctx, batch); {
		case err != nil:
			return err
		case !certain:
			return errors.New("rows may have been lost or dropped while the log was compared with them")
		}
		return l.inLog(faultf("leaf %d, batch %s, says something else than the tables say of batch %s: if the tables were "+
			"restored or changed, restore those that the log is of (cuota verify checks them); if the log was, put it back "+
			"from a backup", index, stored.BatchID, batch.BatchID))
	}
	return nil
}
