// Package store keeps what arrives: it decodes the messages of the log, stores events as facts,
// rejected rows and manifests as rows, and says which files have arrived whole.
package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"
	"github.com/segmentio/kafka-go"

	"cuota/model"
	"cuota/projector/write"
	"cuota/sql"
)

// Consumer stores messages. Several goroutines may use it at once.
type Consumer struct {
	conn driver.Conn
	log  zerolog.Logger
	now  func() time.Time
}

// New makes a Consumer that stores into the tables of a database.
func New(conn driver.Conn, log zerolog.Logger, now func() time.Time) *Consumer {
	return &Consumer{conn: conn, log: log, now: now}
}

// Consume stores messages of one partition, and returns the commands that are among them. It
// returns no error when all other messages are in ClickHouse. A message that can never be stored
// is kept as a rejected row. It fails if ClickHouse could not store the messages. The caller must
// then deliver them again, which is harmless.
func (c *Consumer) Consume(ctx context.Context, messages []kafka.Message) ([]model.ProjectCommand, error) {
	switch topic := messages[0].Topic; {
	case topic == model.ControlTopic:
		return c.consumeControl(ctx, messages)
	case topic == model.BatchesTopic:
		return nil, c.consumePlans(ctx, messages)
	case strings.HasSuffix(topic, rejectSuffix):
		return nil, c.consumeRejects(ctx, messages)
	default:
		return nil, c.consumeFacts(ctx, messages)
	}
}

// rejectSuffix is the end of the name of every reject topic.
var rejectSuffix = strings.TrimPrefix(model.Cartola.RejectTopic(), model.Cartola.Topic())

func (c *Consumer) consumeFacts(ctx context.Context, messages []kafka.Message) error {
	tables, known := factTables[messages[0].Topic]
	if !known {
		return fmt.Errorf("no dataset has the topic %s", messages[0].Topic)
	}
	rows := make(map[factTable][]row, len(tables))
	var refused []row
	for _, message := range messages {
		table, err := tableOf(tables, message.Value)
		var r row
		if err == nil {
			r, err = table.decode(message.Value)
		}
		if err != nil {
			refused = append(refused, refusedRow(message, err, c.now()))
			continue
		}
		if rows[table] == nil {
			rows[table] = make([]row, 0, len(messages))
		}
		rows[table] = append(rows[table], r)
	}
	for table, list := range rows {
		if err := c.insert(ctx, table.rowType, list); err != nil {
			return err
		}
	}
	return c.refuse(ctx, refused)
}

func (c *Consumer) consumeRejects(ctx context.Context, messages []kafka.Message) error {
	var rejected, refused []row
	void := make(map[model.Dataset][]row, len(voidDays))
	for _, message := range messages {
		var reject model.Reject
		if err := json.Unmarshal(message.Value, &reject); err != nil || !isHash(reject.SHA256) {
			refused = append(refused, refusedRow(message, errors.New("not a rejected row"), c.now()))
			continue
		}
		rejected = append(rejected, rejectedRows.row(rejectedRow{
			reject.Source, reject.Dataset, reject.File, reject.Reason, reject.Raw, c.now().UTC(),
		}))
		day, has := voidDayOf(reject)
		if days := voidDays[reject.Dataset]; days != nil && has {
			void[reject.Dataset] = append(void[reject.Dataset], days.row(day))
		}
	}
	// The void days come first. A stored rejected row counts towards the completeness of
	// its file, so its void day must be stored by then.
	for dataset, days := range void {
		if err := c.insert(ctx, voidDays[dataset], days); err != nil {
			return err
		}
	}
	if err := c.insert(ctx, rejectedRows, rejected); err != nil {
		return err
	}
	return c.refuse(ctx, refused)
}

func (c *Consumer) consumeControl(ctx context.Context,
	messages []kafka.Message) (commands []model.ProjectCommand, err error) {
	var manifests, judgements, refused []row
	var files []string // of the manifests
	var old [][]any    // rows of command_done
	for _, message := range messages {
		var control model.Control
		err := json.Unmarshal(message.Value, &control)
		judged := err == nil && control.Judgement != nil && isHash(control.Judgement.SHA256)
		if judged {
			judgements = append(judgements, newJudgementRow(*control.Judgement))
		}
		switch {
		case err == nil && control.Manifest != nil && isHash(control.Manifest.SHA256):
			manifests = append(manifests, manifestRows.row(*control.Manifest))
			files = append(files, control.Manifest.SHA256)
		case err == nil && control.Project != nil && control.Project.ID != "" && len(control.Project.ID) <= maxID:
			if !message.Time.IsZero() && time.Since(message.Time) > maxCommandAge {
				old = append(old, []any{control.Project.ID, uint64(0), c.now().UTC(), tooOld})
				continue
			}
			commands = append(commands, *control.Project)
		case judged: // nothing was published of the file
		default:
			refused = append(refused, refusedRow(message,
				errors.New("neither a manifest nor a command nor a judgement"), c.now()))
		}
	}
	if err := c.insert(ctx, judgementRows, judgements); err != nil {
		return nil, err
	}
	if err := c.insert(ctx, manifestRows, manifests); err != nil {
		return nil, err
	}
	if err := c.noteAgain(ctx, files); err != nil {
		return nil, err
	}
	if len(old) > 0 {
		c.log.Warn().Int("commands", len(old)).Msg("some commands are " + tooOld)
	}
	if err := write.Rows(ctx, c.conn, sql.Insert("command_done"), old); err != nil {
		return nil, fmt.Errorf("note old commands: %w", err)
	}
	return commands, c.refuse(ctx, refused)
}

// maxID is the most bytes of an id of a command or of a plan.
const maxID = 64

// maxCommandAge is when a command is too old to be carried out. A new copy reads all commands that the log still has.
const (
	maxCommandAge = 24 * time.Hour
	tooOld        = "older than a day by the clock of who sent them, and not carried out"
)

// isHash reports whether a text is a sha256 in lower-case hex, as ingest writes it.
func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

func (c *Consumer) refuse(ctx context.Context, refused []row) error {
	if len(refused) > 0 {
		c.log.Error().Int("messages",
			len(refused)).Msg("some messages are not valid events; they are kept in rejected_row under dataset kafka")
	}
	return c.insert(ctx, rejectedRows, refused)
}

// maxRaw is how many bytes are kept of a message that is not an event.
const maxRaw = 4 << 10

// refusedRow keeps a message that is not an event of ingest. The hash of the message stands
// for the hash of a file, so that a redelivered message gives the same row.
func refusedRow(message kafka.Message, why error, arrived time.Time) row {
	hash := sha256.Sum256(message.Value)
	return rejectedRows.row(rejectedRow{
		Source:  model.Source{SHA256: hex.EncodeToString(hash[:]), Line: uint32(message.Offset), Revision: 1},
		Dataset: "kafka",
		File:    fmt.Sprintf("%s/%d", message.Topic, message.Partition),
		Reason:  why.Error(),
		Raw:     string(message.Value[:min(len(message.Value), maxRaw)]),
		Arrived: arrived.UTC(),
	})
}

// insert writes rows. It passes whole columns to the driver, which is faster than single rows.
func (c *Consumer) insert(ctx context.Context, of *rowType, rows []row) error {
	return write.Filled(ctx, c.conn, of.insert, len(rows), func(batch driver.Batch) error {
		return of.fill(batch, rows)
	})
}
