package projector

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
	"github.com/segmentio/kafka-go"

	"cuota/model"
)

// Group is the consumer group that reads the topics for Consume.
const Group = "cuota-projector"

// Topics lists the topics that Consume understands.
func Topics() []string {
	topics := []string{model.ControlTopic}
	for _, dataset := range model.Datasets {
		topics = append(topics, dataset.Topic(), dataset.RejectTopic())
	}
	return topics
}

// Consume stores messages of one partition. It returns nil when all of them are in
// ClickHouse, so that their offsets may be committed. A message that can never be stored is
// kept as a rejected row. It fails if ClickHouse could not store the messages. The caller
// must then deliver them again, which is harmless.
func (p *Projector) Consume(ctx context.Context, messages []kafka.Message) error {
	if len(messages) == 0 {
		return nil
	}
	done, err := p.writes.begin(ctx)
	if err != nil {
		return fmt.Errorf("store messages: %w", err)
	}
	defer done()
	switch topic := messages[0].Topic; {
	case topic == model.ControlTopic:
		err = p.consumeControl(ctx, messages)
	case strings.HasSuffix(topic, rejectSuffix):
		err = p.consumeRejects(ctx, messages)
	default:
		err = p.consumeFacts(ctx, messages)
	}
	if err != nil {
		return err
	}
	p.noticeArrival()
	return nil
}

// rejectSuffix is the end of the name of every reject topic.
var rejectSuffix = strings.TrimPrefix(model.Cartola.RejectTopic(), model.Cartola.Topic())

func (p *Projector) consumeFacts(ctx context.Context, messages []kafka.Message) error {
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
			refused = append(refused, refusedRow(message, err, p.now()))
			continue
		}
		if rows[table] == nil {
			rows[table] = make([]row, 0, len(messages))
		}
		rows[table] = append(rows[table], r)
	}
	for table, list := range rows {
		if err := p.insertRows(ctx, table.rowType, list); err != nil {
			return err
		}
	}
	return p.refuse(ctx, refused)
}

func (p *Projector) consumeRejects(ctx context.Context, messages []kafka.Message) error {
	var rejected, refused []row
	void := make(map[model.Dataset][]row, len(voidDays))
	for _, message := range messages {
		var reject model.Reject
		if err := json.Unmarshal(message.Value, &reject); err != nil || !isHash(reject.SHA256) {
			refused = append(refused, refusedRow(message, errors.New("not a rejected row"), p.now()))
			continue
		}
		rejected = append(rejected, rejectedRows.row(rejectedRow{
			reject.Source, reject.Dataset, reject.File, reject.Reason, reject.Raw, p.now().UTC(),
		}))
		if days := voidDays[reject.Dataset]; days != nil && reject.HasDay() {
			day := voidDay{reject.Source, reject.RUN, reject.Serie, reject.Date, true}
			void[reject.Dataset] = append(void[reject.Dataset], days.row(day))
		}
	}
	// The void days come first. A stored rejected row counts towards the completeness of
	// its file, so its void day must be stored by then.
	for dataset, days := range void {
		if err := p.insertRows(ctx, voidDays[dataset], days); err != nil {
			return err
		}
	}
	if err := p.insertRows(ctx, rejectedRows, rejected); err != nil {
		return err
	}
	return p.refuse(ctx, refused)
}

func (p *Projector) consumeControl(ctx context.Context, messages []kafka.Message) error {
	var manifests, judgements, refused []row
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
		case err == nil && control.Project != nil && control.Project.ID != "":
			if err := p.command(ctx, *control.Project); err != nil {
				return err
			}
		case judged: // nothing was published of the file
		default:
			refused = append(refused, refusedRow(message, errors.New("neither a manifest nor a command nor a judgement"), p.now()))
		}
	}
	if err := p.insertRows(ctx, judgementRows, judgements); err != nil {
		return err
	}
	if err := p.insertRows(ctx, manifestRows, manifests); err != nil {
		return err
	}
	return p.refuse(ctx, refused)
}

// isHash reports whether a text is a sha256 in lower-case hex, as ingest writes it.
func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

func (p *Projector) refuse(ctx context.Context, refused []row) error {
	if len(refused) > 0 {
		p.log.Error().Int("messages", len(refused)).Msg("some messages are not valid events; they are kept in rejected_row under dataset kafka")
	}
	return p.insertRows(ctx, rejectedRows, refused)
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

// insert writes rows in one statement, which begins with head. If it fails, ClickHouse may
// have stored some of the rows. Writing them again is harmless.
func (p *Projector) insert(ctx context.Context, head string, rows [][]any) error {
	return p.send(ctx, head, len(rows), func(batch driver.Batch) error {
		for _, row := range rows {
			if err := batch.Append(row...); err != nil {
				return err
			}
		}
		return nil
	})
}

// insertRows is insert for structs. It gives the driver whole columns, which is faster.
func (p *Projector) insertRows(ctx context.Context, of *rowType, rows []row) error {
	return p.send(ctx, of.insert, len(rows), func(batch driver.Batch) error { return of.fill(batch, rows) })
}

// send fills a batch of so many rows and sends it.
func (p *Projector) send(ctx context.Context, head string, rows int, fill func(driver.Batch) error) error {
	if rows == 0 {
		return nil
	}
	return whenQuorumIsFree(ctx, func() error {
		batch, err := p.conn.PrepareBatch(ctx, head)
		if err != nil {
			return fmt.Errorf("prepare an insert: %w", err)
		}
		if err := fill(batch); err != nil {
			return errors.Join(fmt.Errorf("append to an insert: %w", err), batch.Abort())
		}
		if err := batch.Send(); err != nil {
			return fmt.Errorf("insert %d rows: %w", rows, err)
		}
		return nil
	})
}
