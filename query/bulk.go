package query

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"sync/atomic"
	"time"

	"cuota/internal/account"
	"cuota/internal/httpapi"
	"cuota/internal/loop"
	"cuota/query/batch"
	"cuota/query/bulk"
	"cuota/query/operation"
	"cuota/sql"
)

// bulkLimit bounds the files of all batches together, in bytes.
const bulkLimit = 20 << 30

// bulkBounds limit one file.
var bulkBounds = sql.Bounds{Rows: 200_000_000, Bytes: 64 << 30, Time: 30 * time.Minute, Background: true}

// bulkFiles makes the files of batches soon after their publication, or when they are first asked for.
type bulkFiles struct {
	folder *bulk.Folder // nil: none are made
	ahead  loop.Loop
	making loop.Loop
	failed atomic.Pointer[failedFiles] // nil: the last files were made

	begun atomic.Pointer[time.Time] // when the files that are being made were begun; nil before the first
	took  atomic.Int64              // nanoseconds that the last files took; 0 before the first
}

// failedFiles says of which batch files could not be made, when, and how long none are made after
// that.
type failedFiles struct {
	batch string
	at    time.Time
	rest  time.Duration
}

// After a failure no files of the batch are made for a while, which doubles with each failure. The
// first rest is short, because the usual cause is a restart of ClickHouse. The longest keeps callers
// who ask again from making ClickHouse write all tables again and again.
const (
	firstRest   = 5 * time.Second
	longestRest = 10 * time.Minute
)

type bulkFileParams struct {
	Batch string `path:"batch_id" max:"200" doc:"Batch of the list of files"`
	File  string `path:"file" max:"200" doc:"Name of a file in the list"`
}

// bulkList is the list of the files of a batch.
type bulkList struct {
	Data []bulkTable `json:"data"`
	Meta bulkMeta    `json:"meta"`
}

type bulkTable struct {
	Table   string           `json:"table"`
	Meaning string           `json:"meaning"`
	Columns []sql.BulkColumn `json:"columns"`
	Files   []bulkFile       `json:"files"`
}

type bulkFile struct {
	Address string `json:"address"` // path on this server
	Year    *int   `json:"year"`    // nil: the file has all rows
	Rows    uint64 `json:"rows"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
}

type bulkMeta struct {
	BatchID string    `json:"batch_id"`
	MadeAt  time.Time `json:"made_at"`
	Format  string    `json:"format"`
}

// bulkOperations are the list of the files and the files.
func (s *Server) bulkOperations() []httpapi.Operation {
	operations := []httpapi.Operation{
		httpapi.NewOperation(http.MethodGet, "/api/bulk", httpapi.Keyed, nil,
			func(ctx context.Context, c *httpapi.Call, _ *struct{}) (httpapi.Answer, error) {
				p, err := s.host.Pin(ctx, c, batch.Any, nil)
				if err != nil {
					return httpapi.Answer{}, err
				}
				c.Header.Set(operation.BatchHeader, p.Batch.ID)
				made, err := s.bulkManifest(p)
				if err != nil {
					return httpapi.Answer{}, err
				}
				return httpapi.Answer{Version: p.Batch.ID + " " + made.MadeAt.String(),
					Make: func(context.Context) (httpapi.Reply, error) {
						return httpapi.JSON(bulkListOf(made))
					}}, nil
			}),
		httpapi.NewOperation(http.MethodGet, "/api/bulk/{batch_id}/{file}", httpapi.Keyed, nil,
			func(ctx context.Context, c *httpapi.Call, params *bulkFileParams) (httpapi.Answer, error) {
				// The batch must still be kept: its files may be there for a while longer.
				of, err := s.host.Follower.Pin(operation.WithRequestID(ctx), batch.Any, params.Batch, c.Wait)
				if err != nil {
					return httpapi.Answer{}, operation.ProblemOf(err)
				}
				c.Header.Set(operation.BatchHeader, of.ID)
				return httpapi.Answer{Make: func(context.Context) (httpapi.Reply, error) {
					return s.bulkFile(params)
				}}, nil
			}),
	}
	for i := range operations {
		operations[i].Scope = account.BulkScope
	}
	return operations
}

var errNoBulk = &httpapi.Problem{Status: http.StatusNotImplemented, Code: "bulk_unavailable",
	Detail: "This server makes no files. Its operator must set CUOTA_BULK, and CUOTA_CLICKHOUSE_HTTP."}

// bulkManifest returns the manifest of a batch. If there is none, it begins to make the files, and
// fails with 503.
func (s *Server) bulkManifest(p operation.Pinned) (bulk.Manifest, error) {
	if s.files.folder == nil || s.host.ClickHouse == nil {
		return bulk.Manifest{}, errNoBulk
	}
	made, err := s.files.folder.Manifest(p.Batch.ID)
	if !errors.Is(err, bulk.ErrNotMade) {
		return made, err
	}
	if p.Batch.Rules != sql.Rules() {
		return made, &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: "other_version",
			RetryAfter: httpapi.RetrySoon,
			Detail: "Another version of the program built the published batch, and this one can't make its files. " +
				"Try again after the next batch."}
	}
	if rest := s.files.rest(p.Batch.ID, s.host.Now()); rest > 0 {
		return made, &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: "files_failed",
			RetryAfter: int(rest.Seconds()) + 1,
			Detail: "The files of the published batch could not be made. The server tries again after the time in " +
				"Retry-After; its log says what was wrong."}
	}
	s.beginFiles(p)
	return made, &httpapi.Problem{Status: http.StatusServiceUnavailable, Code: "files_being_made",
		RetryAfter: s.files.wait(s.host.Now()),
		Detail:     "The files of the published batch are being made. Try again after the time in Retry-After."}
}

// beginFiles begins to make the files of a batch. It reports false while files are being made.
func (s *Server) beginFiles(p operation.Pinned) bool {
	return s.files.making.Start(func(ctx context.Context) {
		now := s.host.Now()
		s.files.begun.Store(&now)
		s.makeFiles(ctx, p)
	}) == nil
}

// rest returns how long no files of a batch are made yet, because making them failed; 0 if they may be made.
func (f *bulkFiles) rest(batch string, now time.Time) time.Duration {
	failed := f.failed.Load()
	if failed == nil || failed.batch != batch {
		return 0
	}
	return max(0, failed.at.Add(failed.rest).Sub(now))
}

// longestWait bounds the time that callers are told to wait for files, in seconds.
const longestWait = 300

// wait returns the seconds after which the files that are being made should be there: the rest of what the last ones
// took. If that is not known or has passed, it is as long as they have taken so far.
func (f *bulkFiles) wait(now time.Time) int {
	begun := f.begun.Load()
	if begun == nil {
		return httpapi.RetrySoon
	}
	so := now.Sub(*begun)
	left := time.Duration(f.took.Load()) - so
	if left <= 0 {
		left = so
	}
	return min(max(int(left.Seconds())+1, httpapi.RetrySoon), longestWait)
}

// makeFiles makes the files of a batch, and removes those of batches that are not kept any more.
func (s *Server) makeFiles(ctx context.Context, p operation.Pinned) {
	s.sweepFiles(ctx)
	var parts []bulk.Part
	for _, table := range sql.BulkTables() {
		found, err := p.Reader.BulkParts(ctx, table, p.Batch.Number)
		if err != nil {
			s.filesFailed(p, err)
			return
		}
		for _, part := range found {
			parts = append(parts, bulk.Part{Name: part.FileName(), Table: table.Name, Year: part.Year,
				Write: func(ctx context.Context, to io.Writer) (uint64, error) {
					rows, err := p.Reader.WriteBulk(ctx, to, bulkBounds, part, p.Batch.Number)
					if err == nil {
						err = batch.CheckReadable(ctx, p.Reader, p.Batch)
					}
					return rows, err
				}})
		}
	}
	switch err := s.files.folder.Make(ctx, p.Batch.ID, s.host.Now(), parts); {
	case errors.Is(err, bulk.ErrMaking):
	case err != nil:
		s.filesFailed(p, err)
	default:
		s.files.failed.Store(nil)
		if begun := s.files.begun.Load(); begun != nil {
			s.files.took.Store(int64(s.host.Now().Sub(*begun)))
		}
		s.log.Info().Str("batch_id", p.Batch.ID).Int("files", len(parts)).Msg("the files of a batch are made")
	}
}

// sweepFiles removes the files of batches that are not kept any more.
func (s *Server) sweepFiles(ctx context.Context) {
	err := s.files.folder.Sweep(func(id string) (bool, error) {
		_, err := s.host.Follower.Pin(ctx, batch.Any, id, func(_ context.Context, read func() error) error {
			return read()
		})
		if errors.As(err, new(*batch.GoneError)) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		s.log.Warn().Err(err).Msg("files of earlier batches could not be removed; the next batch tries again")
	}
}

func (s *Server) filesFailed(p operation.Pinned, err error) {
	rest := firstRest
	if before := s.files.failed.Load(); before != nil && before.batch == p.Batch.ID {
		rest = min(2*before.rest, longestRest)
	}
	s.files.failed.Store(&failedFiles{p.Batch.ID, s.host.Now(), rest})
	s.log.Warn().Err(err).Str("batch_id", p.Batch.ID).Dur("rest_ms",
		rest).Msg("the files of a batch could not be made; the server tries again after this time")
}

func bulkListOf(made bulk.Manifest) bulkList {
	list := bulkList{Data: []bulkTable{}, Meta: bulkMeta{made.BatchID, made.MadeAt, "parquet"}}
	for _, table := range sql.BulkTables() {
		of := bulkTable{Table: table.Name, Meaning: table.Comment, Columns: table.Columns, Files: []bulkFile{}}
		for _, file := range made.Files {
			if file.Table != table.Name {
				continue
			}
			one := bulkFile{Address: "/api/bulk/" + made.BatchID + "/" + file.Name, Rows: file.Rows, Bytes: file.Bytes,
				SHA256: file.SHA256}
			if file.Year != 0 {
				one.Year = &file.Year
			}
			of.Files = append(of.Files, one)
		}
		list.Data = append(list.Data, of)
	}
	return list
}

func (s *Server) bulkFile(params *bulkFileParams) (httpapi.Reply, error) {
	if s.files.folder == nil {
		return httpapi.Reply{}, errNoBulk
	}
	file, of, err := s.files.folder.Open(params.Batch, params.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return httpapi.Reply{}, httpapi.NotFound(
			"The batch has no such file. GET /api/bulk lists those of the published batch.")
	case errors.Is(err, bulk.ErrNotMade):
		return httpapi.Reply{}, &httpapi.Problem{Status: http.StatusGone, Code: "batch_gone",
			CurrentBatch: s.currentBatchID(),
			Detail: "The files of this batch are not kept any more. GET /api/bulk lists those of the published " +
				"batch."}
	case err != nil:
		return httpapi.Reply{}, err
	}
	return httpapi.Reply{File: &httpapi.File{Content: file, Type: "application/octet-stream", Tag: of.SHA256}}, nil
}

func (s *Server) currentBatchID() string {
	if current := s.host.Follower.Current(); current != nil {
		return current.ID
	}
	return ""
}
