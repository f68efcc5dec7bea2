// Package backups has the subcommands backup and restore, and the socket over which a running "cuota up"
// copies its tables for the first.
package backups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"cuota/cmd/cuota/connect"
	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/ingest/archive"
	"cuota/internal/account"
	"cuota/internal/backup"
	"cuota/internal/embedded/clickhouse"
	"cuota/internal/eventlog"
	"cuota/internal/notary"
)

// Paths of the parts of an installation inside a backup.
const (
	backedTables   = "clickhouse/" // ClickHouse's own backup
	backedArchive  = "archive/"    // raw payloads and their notes
	backedAccounts = "accounts.db"
	backedMessages = "messages.jsonl.zst" // messages of Kafka that were not yet stored
	backedMarket   = "demo.json"          // the mark of the first market
	backedLog      = "log/"               // the log of published batches, without its secret key
)

// backupContent is the part of the manifest that describes the whole backup.
type backupContent struct {
	Tables   []clickhouse.Table `json:"tables"`
	Messages uint64             `json:"messages"` // in backedMessages
}

// backedMessage is one line of backedMessages.
type backedMessage struct {
	Topic string    `json:"topic"`
	Key   []byte    `json:"key"`
	Value []byte    `json:"value"`
	Time  time.Time `json:"time"`
}

// backupOrder holds the arguments of the command.
type backupOrder struct {
	data    string
	to      string
	keep    int // number of newest backups that are kept; 0: all
	verify  bool
	program string // version of this program, for the manifest
}

// NewBackup returns the command cuota backup. program is the version that a backup states.
func NewBackup(s environment.Settings, program string) *cobra.Command {
	order := backupOrder{program: program}
	command := &cobra.Command{
		Use:   "backup DIR",
		Short: "Copy a data directory, even while cuota up runs on it",
		Long: "Copy a data directory into DIR, even while cuota up runs on it: tables, accounts, the archive of raw " +
			"files and\n" +
			"the messages that are not stored yet. DIR is created if it is missing. Backups in one DIR share " +
			"unchanged\n" +
			"files, so that a second one is small. An interrupted backup leaves no backup, and the next one reuses " +
			"the files\n" +
			"that were copied. The pepper is not in a backup: keep a copy of it elsewhere. With --verify, read every " +
			"file of the\n" +
			"backups in DIR and compare it with its checksum, without making a backup.",
		Args: exit.OneArgument("give the directory for the backups"),
		RunE: func(command *cobra.Command, args []string) error {
			order.to = args[0]
			if order.keep < 0 {
				return exit.Lacking(command, "--keep must be at least 1: it is the number of backups to keep")
			}
			if order.verify {
				return runVerify(command.Context(), order.to, command.OutOrStdout())
			}
			return runBackup(command.Context(), s, order, command.OutOrStdout())
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.data, "data", "", "data directory (default $CUOTA_DATA or ./data)")
	flags.IntVar(&order.keep, "keep", 0,
		"afterwards keep this number of backups in DIR, the newest, and delete the others")
	flags.BoolVar(&order.verify, "verify", false, "check the backups in DIR instead of making one")
	return command
}

// errDamaged is returned after the damaged files were reported, so that the command
// exits with 1.
var errDamaged = errors.New("damaged files were found")

func runVerify(ctx context.Context, in string, out io.Writer) (err error) {
	store, err := backup.Open(in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	damaged, err := store.Verify(ctx)
	for _, line := range damaged {
		fmt.Fprintln(out, line)
	}
	if err != nil {
		return err
	}
	if len(damaged) > 0 {
		return errDamaged
	}
	ids, err := store.IDs()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "all %d backups in %s are intact\n", len(ids), in)
	return nil
}

func runBackup(ctx context.Context, s environment.Settings, order backupOrder, out io.Writer) (err error) {
	if order.data == "" {
		if s.Separate() {
			return errors.New("cuota backup copies a data directory: give it with --data; for servers, see " +
				"docs/operations.md")
		}
		order.data = s.Data
	}
	if s.ClickHouse != "" {
		return errServer
	}
	dir, err := datadir.Open(order.data)
	if err != nil {
		return err
	}
	if err := apart(dir.Path, order.to); err != nil {
		return err
	}
	store, err := backup.Create(order.to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()

	work := &backing{store: store, dir: dir, archive: s.ArchiveIn(dir.Archive()),
		log: s.Logger().Level(zerolog.WarnLevel)}
	if work.id, err = store.NewID(time.Now()); err != nil {
		return err
	}
	if work.last, err = store.Load(""); err != nil && !errors.Is(err, backup.ErrNoBackup) {
		fmt.Fprintf(out, "%s: this backup reads and copies every file\n", err)
	}
	begun := time.Now()
	if err := work.all(ctx, s, order.program); err != nil {
		return err
	}
	fmt.Fprintf(out, "backup %s made in %s: %d files, %d messages that were not stored yet\n",
		work.id, time.Since(begun).Round(time.Millisecond), len(work.files), work.content.Messages)
	if _, err := os.Stat(dir.Pepper()); err == nil {
		fmt.Fprintf(out, "The backup does not contain the pepper, and no key works without it: keep a copy of %s "+
			"elsewhere.\n", dir.Pepper())
	}
	if len(work.damaged) > 0 {
		for _, line := range work.damaged {
			fmt.Fprintf(out, "damaged: %s\n", line)
		}
		fmt.Fprintln(out, "No old backup was deleted, because one of them may contain an intact copy of the damaged "+
			"files.")
		return errDamaged
	}
	if order.keep > 0 {
		return store.Keep(order.keep)
	}
	return nil
}

// apart fails if the backup would be written into the data directory itself.
func apart(data, to string) error {
	absolute, err := filepath.Abs(to)
	if err != nil {
		return fmt.Errorf("resolve the path of the backup directory %s: %w", to, err)
	}
	// Symbolic links in the path are followed as far as the path exists.
	for _, path := range []*string{&data, &absolute} {
		if real, err := filepath.EvalSymlinks(*path); err == nil {
			*path = real
		}
	}
	if inside, err := filepath.Rel(data, absolute); err == nil && filepath.IsLocal(inside) {
		return fmt.Errorf("%s is inside the data directory %s: choose a directory elsewhere, if possible on another "+
			"disk", to, data)
	}
	return nil
}

// backing is a backup in progress.
type backing struct {
	store   *backup.Store
	dir     *datadir.Directory
	archive *archive.Archive
	log     zerolog.Logger

	id      string
	last    backup.Manifest // manifest of the previous backup; empty if there is none
	files   []backup.File
	content backupContent
	damaged []string // what was left out because it is damaged: archived files, the accounts, the log
}

// all copies everything. The order matters. First it reads the messages of Kafka that
// are not yet stored, and then it copies the tables. A message that is stored in between
// is then in both, which is harmless, because storing it again changes nothing; in the
// other order it would be in neither. The archive is copied last, so that it holds the
// file of every event in the backup.
func (b *backing) all(ctx context.Context, s environment.Settings, program string) error {
	began := time.Now().UTC()
	// Before the tables: after a restore, the log may lack the last batches of the tables, which are appended again.
	if err := b.notary(ctx, s.NotaryOr(b.dir.Log())); err != nil {
		return err
	}
	if err := b.tables(ctx, s); err != nil {
		return err
	}
	for _, part := range []func(context.Context) error{b.accounts, b.market, b.payloads} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	content, err := json.Marshal(b.content)
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	return b.store.Finish(backup.Manifest{ID: b.id, Began: began, Program: program, Files: b.files, Content: content})
}

// tables copies the data of Kafka and ClickHouse. It asks the process that runs them, or
// starts them for this command.
func (b *backing) tables(ctx context.Context, s environment.Settings) (err error) {
	at, err := connect.TakeOrFind(ctx, s, b.dir)
	switch {
	case errors.Is(err, datadir.ErrHeld):
		if at.PID == 0 {
			return err
		}
		if err := b.messages(ctx, at.Brokers()); err != nil {
			return err
		}
		made, release, err := askForCopy(ctx, b.dir)
		if err != nil {
			return err
		}
		return errors.Join(b.copied(ctx, made), release())
	case err != nil:
		return err
	}
	defer func() { err = errors.Join(err, b.dir.Release()) }()
	running, err := datadir.StartEnginesAlone(ctx, s, b.dir, b.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.Stop(ctx)) }()
	if err := b.messages(ctx, running.Brokers()); err != nil {
		return err
	}
	made, err := running.ClickHouse.Backup(ctx)
	if err != nil {
		return err
	}
	return errors.Join(b.copied(ctx, made), made.Remove())
}

// messages copies the messages that the projector has not committed.
func (b *backing) messages(ctx context.Context, brokers eventlog.Brokers) error {
	group := flow.LagGroup(brokers, "", b.log) // a data directory is the only copy of its log
	// after an interrupted first start the topics may be missing
	if err := eventlog.EnsureTopics(ctx, brokers, flow.Topics()); err != nil {
		return err
	}
	read, write := io.Pipe()
	go func() {
		write.CloseWithError(func() error {
			compressed, err := zstd.NewWriter(write)
			if err != nil {
				return err
			}
			lines := json.NewEncoder(compressed)
			err = group.Unread(ctx, func(m kafka.Message) error {
				b.content.Messages++
				return lines.Encode(backedMessage{m.Topic, m.Key, m.Value, m.Time})
			})
			return errors.Join(err, compressed.Close())
		}())
	}()
	file, err := b.store.AddReader(ctx, read, backedMessages)
	_ = read.CloseWithError(err) // ends the goroutine that writes if storing has failed
	if err != nil {
		return fmt.Errorf("copy the messages that are not stored yet: %w", err)
	}
	b.files = append(b.files, file)
	return nil
}

// copied adds the copy of the tables to the backup.
func (b *backing) copied(ctx context.Context, made *clickhouse.Backup) error {
	b.content.Tables = made.Tables
	var sources []string
	err := filepath.WalkDir(made.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			sources = append(sources, path)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("list the files in the copy of the tables: %w", err)
	}
	return b.add(ctx, sources, func(source string) (string, error) {
		below, err := filepath.Rel(made.Dir, source)
		return backedTables + filepath.ToSlash(below), err
	})
}

// filesAtOnce is how many files are copied in parallel. Each one mostly waits for the
// disk.
const filesAtOnce = 4

func (b *backing) add(ctx context.Context, sources []string, name func(source string) (string, error)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(filesAtOnce)
	added := make([]backup.File, len(sources))
	for i, source := range sources {
		group.Go(func() error {
			path, err := name(source)
			if err != nil {
				return err
			}
			added[i], err = b.store.Add(ctx, source, path)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	b.files = append(b.files, added...)
	return nil
}

func (b *backing) accounts(ctx context.Context) error {
	err := account.Check(ctx, b.dir.Accounts(), b.dir.Pepper())
	if errors.Is(err, account.ErrStoreLost) || errors.As(err, new(*account.DamagedError)) {
		b.damaged = append(b.damaged, err.Error())
		for _, file := range b.last.Files {
			if file.Path == backedAccounts && b.store.Holds(file) {
				b.files = append(b.files, file) // the accounts as they were at the backup before
			}
		}
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := os.Stat(strings.TrimPrefix(b.dir.Accounts(), "sqlite://")); errors.Is(err, fs.ErrNotExist) {
		return nil // nobody has registered yet
	}
	copied, err := b.store.Scratch()
	if err != nil {
		return err
	}
	err = account.CopySQLite(ctx, b.dir.Accounts(), copied)
	if err == nil {
		err = b.add(ctx, []string{copied}, func(string) (string, error) { return backedAccounts, nil })
	}
	return errors.Join(err, os.Remove(copied))
}

func (b *backing) market(ctx context.Context) error {
	if _, err := os.Stat(b.dir.Market()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return b.add(ctx, []string{b.dir.Market()}, func(string) (string, error) { return backedMarket, nil })
}

// notary copies the log of published batches. A damaged log is reported, and the backup has that of the one before.
func (b *backing) notary(ctx context.Context, dir string) error {
	err := notary.Copy(dir, func(name string) error {
		return b.add(ctx, []string{filepath.Join(dir, name)}, func(string) (string, error) {
			return backedLog + filepath.ToSlash(name), nil
		})
	})
	if !errors.As(err, new(notary.FaultError)) {
		return err
	}
	b.damaged = append(b.damaged, err.Error())
	for _, file := range b.last.Files {
		if strings.HasPrefix(file.Path, backedLog) && b.store.Holds(file) {
			b.files = append(b.files, file) // the log as it was at the backup before
		}
	}
	return nil
}

// payloads copies the archive. It does not read a file again that the previous backup
// holds with the same size and modification time, because archived files never change.
func (b *backing) payloads(ctx context.Context) error {
	before := map[string]backup.File{}
	for _, file := range b.last.Files {
		before[file.Path] = file
	}
	var sources []string
	there := map[string]bool{}
	err := filepath.WalkDir(b.dir.Archive(), func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // no archive yet, or a temporary file of another process
			return nil
		}
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name, err := b.archived(path)
		if err != nil {
			return err
		}
		there[name] = true
		if file, known := before[name]; known && file.Size == info.Size() && file.Modified.Equal(info.ModTime()) &&
			b.store.Holds(file) {
			b.files = append(b.files, file)
			return nil
		}
		if sha, is := strings.CutSuffix(entry.Name(), ".zst"); is {
			if err := b.checkPayload(ctx, sha); err != nil {
				if ctx.Err() == nil {
					b.damaged = append(b.damaged, err.Error())
					if file, known := before[name]; known && b.store.Holds(file) {
						b.files = append(b.files, file) // keep the copy that was made when the file could still be read
					}
					return nil
				}
				return err
			}
		}
		sources = append(sources, path)
		return nil
	})
	if err != nil {
		return fmt.Errorf("list the files of the archive: %w", err)
	}
	// A file that is missing in the archive stays in the backups, because that may be
	// the only copy.
	for name, file := range before {
		if strings.HasPrefix(name, backedArchive) && !there[name] && b.store.Holds(file) {
			b.files = append(b.files, file)
		}
	}
	return b.add(ctx, sources, b.archived)
}

// archived returns the path in the backup of a file of the archive.
func (b *backing) archived(path string) (string, error) {
	below, err := filepath.Rel(b.dir.Archive(), path)
	return backedArchive + filepath.ToSlash(below), err
}

// checkPayload reads a payload and fails if it does not have the hash in its name.
func (b *backing) checkPayload(ctx context.Context, sha string) error {
	payload, err := b.archive.Open(ctx, sha)
	if err != nil {
		return err
	}
	return payload.Close()
}
