package backups

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"cuota/cmd/cuota/datadir"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/flow"
	"cuota/internal/account"
	"cuota/internal/backup"
	"cuota/internal/durable"
	"cuota/internal/embedded/clickhouse"
	"cuota/internal/eventlog"
)

// restoreOrder holds the arguments of the command.
type restoreOrder struct {
	from   string
	backup string // id of the backup; "": the newest
	data   string
	pepper string // path of the pepper
	files  string // directory into which to write the files as they are, instead of restoring
}

// NewRestore returns the command cuota restore.
func NewRestore(s environment.Settings) *cobra.Command {
	var order restoreOrder
	command := &cobra.Command{
		Use:   "restore DIR --data NEW",
		Short: "Create a data directory from a backup",
		Long: "Create the data directory NEW from the newest backup in DIR, or from the one that --backup names. NEW " +
			"must be\n" +
			"empty or missing. Every file is compared with its checksum, and so are the rows of every table. Until " +
			"the\n" +
			"restore is complete, no other command works on NEW. To continue an interrupted restore, run it again. " +
			"With\n" +
			"--files, write the files of the backup as they are, for your own servers: docs/operations.md says how " +
			"to use them.",
		Args: func(command *cobra.Command, args []string) error {
			const missing = "give the directory of the backups, and the new data directory with --data"
			if (order.data == "") == (order.files == "") {
				return exit.Lacking(command, missing)
			}
			return exit.OneArgument(missing)(command, args)
		},
		RunE: func(command *cobra.Command, args []string) error {
			order.from = args[0]
			if order.files != "" {
				return runFiles(command.Context(), order, command.OutOrStdout())
			}
			return runRestore(command.Context(), s, order, command.OutOrStdout())
		},
	}
	flags := command.Flags()
	flags.StringVar(&order.data, "data", "", "data directory to create")
	flags.StringVar(&order.backup, "backup", "", "id of the backup (default: the newest)")
	flags.StringVar(&order.files, "files", "", "instead of --data: directory to write the files of the backup to")
	flags.StringVar(&order.pepper, "pepper", "", "copy of the file accounts/pepper of the directory that was backed up")
	return command
}

func runRestore(ctx context.Context, s environment.Settings, order restoreOrder, out io.Writer) (err error) {
	if s.ClickHouse != "" {
		return errors.New("cuota restore creates a data directory for the embedded engines: unset CUOTA_CLICKHOUSE")
	}
	store, err := backup.Open(order.from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	manifest, err := store.Load(order.backup)
	if err != nil {
		return err
	}
	r := &restoring{store: store, manifest: manifest, log: s.Logger().Level(zerolog.WarnLevel)}
	if err := json.Unmarshal(manifest.Content, &r.content); err != nil {
		return fmt.Errorf("read the manifest of backup %s: %w", manifest.ID, err)
	}
	if r.file(backedAccounts) != nil && order.pepper == "" {
		return errors.New("the backup holds accounts, and no key works without the pepper: give your copy of the " +
			"file accounts/pepper with --pepper")
	}
	if r.dir, err = datadir.At(order.data); err != nil {
		return err
	}
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.dir.Take(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.dir.Release()) }()
	if err := r.all(ctx, s, order.pepper); err != nil {
		return fmt.Errorf("%w\n%s can't be used yet: run the same command again, or delete it", err, r.dir.Path)
	}
	fmt.Fprintf(out, "restored backup %s to %s: %d files; the rows of all %d tables match the backup; %d messages "+
		"are not stored yet\n",
		manifest.ID, r.dir.Path, len(manifest.Files), len(r.content.Tables), r.content.Messages)
	if r.file(backedLog+"checkpoint") != nil {
		fmt.Fprintf(out, "The secret key of the log of published batches is not in a backup. Put your copy of log/key into "+
			"%[1]s only if no newer checkpoint was published than %[1]s/checkpoint; else begin another log (docs/notary.md).\n",
			r.dir.Log())
	}
	fmt.Fprintf(out, "Start it with  cuota up --no-demo --data %s\n", r.dir.Path)
	return nil
}

// runFiles writes the files of a backup as they are.
func runFiles(ctx context.Context, order restoreOrder, out io.Writer) (err error) {
	store, err := backup.Open(order.from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	manifest, err := store.Load(order.backup)
	if err != nil {
		return err
	}
	r := &restoring{store: store, manifest: manifest}
	if err := r.copyBelow(ctx, "", order.files); err != nil {
		return err
	}
	fmt.Fprintf(out, "wrote the %d files of backup %s to %s\n", len(manifest.Files), manifest.ID, order.files)
	return nil
}

// restoring is a restore in progress.
type restoring struct {
	store    *backup.Store
	manifest backup.Manifest
	content  backupContent
	dir      *datadir.Directory
	log      zerolog.Logger
}

// restoringMark is the content of the file that keeps other commands from the directory.
type restoringMark struct {
	Backup string `json:"backup"`
}

// begin marks the directory, or finds the mark of an earlier run of the same restore.
func (r *restoring) begin() error {
	if err := os.MkdirAll(r.dir.Path, 0o750); err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	text, err := os.ReadFile(r.dir.Restoring())
	if err == nil {
		var mark restoringMark
		if err := json.Unmarshal(text, &mark); err != nil {
			return fmt.Errorf("read %s: %w; delete the directory to start again", r.dir.Restoring(), err)
		}
		if mark.Backup != r.manifest.ID {
			return fmt.Errorf("%s is partly restored from backup %s: continue with --backup %s, or delete the directory", r.dir.Path, mark.Backup, mark.Backup)
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("open the data directory: %w", err)
	}
	entries, err := os.ReadDir(r.dir.Path)
	if err != nil {
		return fmt.Errorf("open the data directory: %w", err)
	}
	for _, entry := range entries {
		// A restore that was killed while it wrote its mark leaves this file.
		if entry.Name() != filepath.Base(r.dir.Restoring())+".next" {
			return fmt.Errorf("%s is not empty: give a directory with --data that is empty or does not exist",
				r.dir.Path)
		}
	}
	text, err = json.Marshal(restoringMark{r.manifest.ID})
	if err == nil {
		err = durable.Replace(r.dir.Restoring(), text, 0o640)
	}
	if err != nil {
		return fmt.Errorf("start the restore: %w", err)
	}
	return nil
}

func (r *restoring) all(ctx context.Context, s environment.Settings, pepper string) error {
	// Complete files in the archive, which is the largest part, are kept. The rest is
	// deleted, because an interrupted restore may have left it in any state.
	for _, path := range []string{r.dir.ClickHouse(), r.dir.Kafka(), r.dir.AccountFolder()} {
		if err := os.RemoveAll(path); err != nil {
			return fmt.Errorf("remove the files of an interrupted restore: %w", err)
		}
	}
	if err := os.Mkdir(r.dir.AccountFolder(), 0o750); err != nil {
		return fmt.Errorf("make the folder of the accounts: %w", err)
	}
	if err := r.accounts(ctx, pepper); err != nil {
		return err
	}
	if file := r.file(backedMarket); file != nil {
		if err := r.store.Copy(ctx, *file, r.dir.Market()); err != nil {
			return err
		}
	}
	for part, folder := range map[string]string{backedArchive: r.dir.Archive(), backedLog: r.dir.Log()} {
		if err := r.copyBelow(ctx, part, folder); err != nil {
			return err
		}
	}
	if err := r.engines(ctx, s); err != nil {
		return err
	}
	if err := os.Remove(r.dir.Restoring()); err != nil {
		return fmt.Errorf("finish the restore: %w", err)
	}
	return nil
}

// accounts restores the account store and opens it with the pepper. It fails if that is
// not the pepper of the store.
func (r *restoring) accounts(ctx context.Context, pepper string) error {
	file := r.file(backedAccounts)
	if file == nil {
		return nil
	}
	if err := account.CopyPepper(pepper, r.dir.Pepper()); err != nil {
		return err
	}
	if err := r.store.Copy(ctx, *file, filepath.Join(r.dir.AccountFolder(), backedAccounts)); err != nil {
		return err
	}
	store, err := account.OpenAt(ctx, r.dir.Accounts(), r.dir.Pepper())
	if err != nil {
		return err
	}
	return store.Close()
}

// engines restores the tables, compares them with the manifest, and publishes the
// messages that were not yet stored.
func (r *restoring) engines(ctx context.Context, s environment.Settings) (err error) {
	running, err := datadir.StartEnginesAlone(ctx, s, r.dir, r.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.Stop(ctx)) }()
	tables, err := running.ClickHouse.Restore(ctx, func(folder string) error {
		return r.copyBelow(ctx, backedTables, folder)
	})
	if err != nil {
		return err
	}
	if err := sameTables(r.content.Tables, tables); err != nil {
		return err
	}
	if err := eventlog.EnsureTopics(ctx, running.Brokers(), flow.Topics()); err != nil {
		return err
	}
	return r.messages(ctx, running.Brokers())
}

func sameTables(backed, restored []clickhouse.Table) error {
	if slices.Equal(backed, restored) {
		return nil
	}
	var errs []error
	for _, table := range backed {
		if i := slices.IndexFunc(restored, func(t clickhouse.Table) bool { return t.Name == table.Name }); i < 0 {
			errs = append(errs, fmt.Errorf("table %s is missing", table.Name))
		} else if restored[i] != table {
			errs = append(errs, fmt.Errorf(
				"table %s has %d rows with checksum %x, and the backup has %d rows with checksum %x", table.Name,
				restored[i].Rows, restored[i].Checksum, table.Rows, table.Checksum))
		}
	}
	return fmt.Errorf("the restored tables differ from the backup: use another backup: %w", errors.Join(errs...))
}

// messagesAtOnce is how many messages are sent in one call.
const messagesAtOnce = 1000

// messages publishes the messages of the backup. It reads them twice, so that it sends
// nothing from a damaged file.
func (r *restoring) messages(ctx context.Context, brokers eventlog.Brokers) error {
	file := r.file(backedMessages)
	if file == nil {
		return fmt.Errorf("backup %s is incomplete: the file %s is missing", r.manifest.ID, backedMessages)
	}
	if err := r.store.Read(ctx, *file, io.Discard); err != nil {
		return err
	}
	read, write := io.Pipe()
	go func() { write.CloseWithError(r.store.Read(ctx, *file, write)) }()
	defer func() { _ = read.Close() }()
	lines, err := zstd.NewReader(read, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return fmt.Errorf("read the messages: %w", err)
	}
	defer lines.Close()
	writer := eventlog.NewWriter(brokers, r.log)
	defer writer.Close()
	var topic string
	var waiting []kafka.Message
	send := func() error {
		err := writer.Write(ctx, topic, waiting)
		waiting = nil
		return err
	}
	decoder := json.NewDecoder(bufio.NewReader(lines))
	count := uint64(0)
	for {
		var m backedMessage
		err := decoder.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read message %d: %w", count+1, err)
		}
		if m.Topic != topic || len(waiting) == messagesAtOnce {
			if err := send(); err != nil {
				return err
			}
		}
		topic = m.Topic
		waiting = append(waiting, kafka.Message{Key: m.Key, Value: m.Value, Time: m.Time})
		count++
	}
	if err := send(); err != nil {
		return err
	}
	if count != r.content.Messages {
		return fmt.Errorf("the backup holds %d messages, but its manifest lists %d: use another backup", count,
			r.content.Messages)
	}
	return nil
}

// copyBelow restores the files of one part of the backup; "" means all of it.
func (r *restoring) copyBelow(ctx context.Context, part, folder string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(filesAtOnce)
	for _, file := range r.manifest.Files {
		below, is := strings.CutPrefix(file.Path, part)
		if !is {
			continue
		}
		group.Go(func() error {
			if err := r.store.Copy(ctx, file, filepath.Join(folder, filepath.FromSlash(below))); err != nil {
				return fmt.Errorf("restore %s: %w", file.Path, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// file returns the file of the backup with this path, or nil if there is none.
func (r *restoring) file(path string) *backup.File {
	i := slices.IndexFunc(r.manifest.Files, func(f backup.File) bool { return f.Path == path })
	if i < 0 {
		return nil
	}
	return &r.manifest.Files[i]
}
