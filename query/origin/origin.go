package origin

import (
	"context"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"cuota/model"
	"cuota/query/batch"
	"cuota/query/operation"
	"cuota/sql"

	"golang.org/x/sync/errgroup"
)

// OfBatch says what the batch was made from: how new each dataset is, which rows were rejected, which
// files differ from the files before them, which days are not complete, and of how many series something
// is not known.
var OfBatch = operation.Endpoint[struct{}, Data]{
	Path: "/pages/data", ForPages: true, Parts: []batch.Loader{contentPart, rejectionsPart},
	Find: func(ctx context.Context, r *operation.Request[struct{}]) (Data, error) { return dataOf(ctx, r.Pinned) },
}

// mostRows is how many rows each list has at most.
const mostRows = 50

// Data is what a batch was made from.
type Data struct {
	Batch      Batch         `json:"batch"`
	Batches    []Publication `json:"batches"`    // the newest first
	Rejections []Rejects     `json:"rejections"` // files with open rows, the newest first
	Findings   []Finding     `json:"findings"`   // those of files in quarantine, then the newest
	Content
}

// Content is what does not change while the batch is published.
type Content struct {
	Datasets   []Dataset  `json:"datasets"`
	Incomplete Incomplete `json:"incomplete"`
	Lacks      Lacks      `json:"lacks"`
}

// contentPart keeps the content of the current batch in memory.
var contentPart = batch.NewOptionalPart("content", func(ctx context.Context, s batch.Source) (Content, int, error) {
	content, err := readContent(ctx, operation.PinnedBy(s))
	return content, len(content.Datasets)*int(unsafe.Sizeof(Dataset{})) +
		len(content.Incomplete.Days)*int(unsafe.Sizeof(OpenDay{})), err
})

// keptRejections keeps in memory the files with open rows, and the findings about files. Files also arrive between
// two batches, so the list is read again whenever something has arrived.
type keptRejections struct {
	known atomic.Pointer[listedRejections]
}

// listedRejections is the list at a state.
type listedRejections struct {
	state    rejectionsState
	files    []Rejects
	findings []Finding
}

// rejectionsState is a row of rejections_state.sql.
type rejectionsState struct {
	Rows uint64 `ch:"rows"`
	Hash uint64 `ch:"hash"`
}

// rejectionsPart keeps the list as it was when the current batch was read.
var rejectionsPart = batch.NewOptionalPart("rejections",
	func(ctx context.Context, s batch.Source) (*keptRejections, int, error) {
		kept := &keptRejections{}
		_, err := kept.current(ctx, operation.PinnedBy(s))
		return kept, mostRows * int(unsafe.Sizeof(Rejects{})+unsafe.Sizeof(Finding{})), err
	})

// current returns the list as it is now.
func (kept *keptRejections) current(ctx context.Context, p operation.Pinned) (*listedRejections, error) {
	// The state is read before the list. So a file that arrives in between changes it once more.
	found, err := operation.Rows[rejectionsState](ctx, p, "rejections_state")
	if err != nil {
		return nil, err
	}
	state := found[0] // the statement always returns one row
	if known := kept.known.Load(); known != nil && known.state == state {
		return known, nil
	}
	list, err := readRejections(ctx, p)
	if err == nil {
		list.state = state
		kept.known.Store(list)
	}
	return list, err
}

// Batch is the batch itself.
type Batch struct {
	ID            string      `json:"id"`
	AsOf          *model.Date `json:"asOf"`
	LastQuota     *model.Date `json:"lastQuota"`
	CalculatedAt  time.Time   `json:"calculatedAt"`
	Fingerprint   string      `json:"fingerprint"` // of the files that it was computed from
	Rules         string      `json:"rules"`       // hash of the statements that computed it
	MethodVersion string      `json:"methodVersion"`
	Series        uint32      `json:"series"`
	Records       uint64      `json:"records"`
}

// Dataset is a dataset of the batch.
type Dataset struct {
	Dataset     string      `json:"dataset"`
	Files       uint64      `json:"files"`
	Rows        uint64      `json:"rows"`
	Rejected    uint64      `json:"rejected"`
	First       *model.Date `json:"first"`
	Last        *model.Date `json:"last"`
	PublishedAt time.Time   `json:"publishedAt"` // the newest of its files
	DueOn       *model.Date `json:"dueOn"`       // by which the next data should be here; null: nothing is expected
	Late        bool        `json:"late"`        // that day is over
}

// Rejects is a file of which rows were rejected, without the text of the rows: it may hold
// anything.
type Rejects struct {
	Dataset string    `ch:"dataset" json:"dataset"`
	File    string    `ch:"file" json:"file"`
	SHA256  string    `ch:"sha256" json:"-"`
	Open    uint64    `ch:"open_rows" json:"open"`
	All     uint64    `ch:"rejected_rows" json:"all"`
	Reason  string    `ch:"first_reason" json:"reason"` // of the first open row
	Line    uint32    `ch:"first_line" json:"line"`
	Arrived time.Time `ch:"arrived" json:"arrived"`
}

// Finding is a difference between a file and the files before it.
type Finding struct {
	Dataset string    `ch:"dataset" json:"dataset"`
	File    string    `ch:"file" json:"file"`
	SHA256  string    `ch:"sha256" json:"sha256"`
	State   string    `ch:"state" json:"state"`
	Judged  time.Time `ch:"judged_at" json:"judged"`
	Kind    string    `ch:"kind" json:"kind"`
	Column  string    `ch:"column" json:"column"` // empty: the file as a whole
	Before  string    `ch:"before" json:"before"`
	Now     string    `ch:"now" json:"now"`
	Line    uint32    `ch:"line" json:"line"` // 0: no single one
	AtStake bool      `ch:"at_stake" json:"atStake"`
}

// Incomplete are days on which the market is not complete.
type Incomplete struct {
	Total uint64    `json:"total"`
	Days  []OpenDay `json:"days"` // the newest first
}

// OpenDay is a day on which the market is not complete.
type OpenDay struct {
	Date     model.Date `json:"date"`
	HasRate  bool       `json:"hasRate"` // an official dollar rate is published for the day, as for every banking day
	HasData  bool       `json:"hasData"`
	Prior    uint32     `json:"priorSeries"`    // series counted
	Present  uint32     `json:"presentSeries"`  // of these, with a row on the day
	Rejected uint32     `json:"rejectedSeries"` // of these, whose row was rejected
}

// Lacks counts the series of the screener of which something is not known.
type Lacks struct {
	Series        uint64 `ch:"series" json:"series"`
	Family        uint64 `ch:"family" json:"family"`
	Category      uint64 `ch:"category" json:"category"`
	InvestorClass uint64 `ch:"investor_class" json:"investorClass"`
	TAC           uint64 `ch:"tac" json:"tac"`
	Currency      uint64 `ch:"currency" json:"currency"`
	OneYear       uint64 `ch:"return_1y" json:"return1y"`
	Spheres       uint64 `ch:"spheres" json:"spheres"`
}

func dataOf(ctx context.Context, p operation.Pinned) (Data, error) {
	b := p.Batch
	out := Data{
		Batch: Batch{b.ID, operation.DateOf(b.AsOf), operation.DateOf(b.LastQuota), b.CalculatedAt.UTC(),
			b.InputFingerprint, b.Rules, b.MethodVersion, b.SeriesCount, b.TotalRecords},
	}
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() error { return out.readBatches(ctx, p) })
	reading.Go(func() (err error) {
		var list *listedRejections
		if kept, there := rejectionsPart.Of(b); there {
			list, err = kept.current(ctx, p)
		} else {
			list, err = readRejections(ctx, p)
		}
		if err == nil {
			out.Rejections, out.Findings = list.files, list.findings
		}
		return err
	})
	reading.Go(func() (err error) {
		var there bool
		if out.Content, there = contentPart.Of(b); !there {
			out.Content, err = readContent(ctx, p)
		}
		return err
	})
	err := reading.Wait()
	out.Datasets = slices.Clone(out.Datasets) // which may be in memory for all days
	for i, d := range out.Datasets {
		out.Datasets[i].Late = d.DueOn != nil && d.DueOn.Compare(p.Today) < 0
	}
	return out, err
}

func readContent(ctx context.Context, p operation.Pinned) (Content, error) {
	content := Content{Datasets: []Dataset{}, Incomplete: Incomplete{Days: []OpenDay{}}}
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() error { return content.readDatasets(ctx, p) })
	reading.Go(func() error { return content.readIncomplete(ctx, p) })
	reading.Go(func() error {
		found, err := operation.Rows[Lacks](ctx, p, "content_lacks")
		if len(found) > 0 {
			content.Lacks = found[0]
		}
		return err
	})
	err := reading.Wait()
	return content, err
}

func (content *Content) readDatasets(ctx context.Context, p operation.Pinned) error {
	type dataset struct {
		Dataset     string     `ch:"dataset"`
		Files       uint64     `ch:"files"`
		Rows        uint64     `ch:"rows"`
		Rejected    uint64     `ch:"rejected_rows"`
		First       *time.Time `ch:"first_date"`
		Last        *time.Time `ch:"last_date"`
		PublishedAt time.Time  `ch:"published_at"`
		DueOn       *time.Time `ch:"due_on"`
	}
	found, err := operation.Rows[dataset](ctx, p, "content_datasets")
	for _, d := range found {
		content.Datasets = append(content.Datasets,
			Dataset{d.Dataset, d.Files, d.Rows, d.Rejected, operation.DateOf(d.First), operation.DateOf(d.Last),
				d.PublishedAt.UTC(), operation.DateOf(d.DueOn), false})
	}
	return err
}

func (out *Data) readBatches(ctx context.Context, p operation.Pinned) (err error) {
	out.Batches, err = publications(ctx, p, sql.Arg("limit", int64(20)), sql.Arg("offset", int64(0)))
	return err
}

func readRejections(ctx context.Context, p operation.Pinned) (*listedRejections, error) {
	list := &listedRejections{}
	reading, ctx := errgroup.WithContext(ctx)
	reading.Go(func() error {
		found, err := operation.Rows[Rejects](ctx, p, "rejected_files", sql.Arg("named", ""), sql.Arg("all", false),
			sql.Arg("most", mostRows))
		list.files = make([]Rejects, len(found)) // which is not null in JSON without rows
		for i, f := range found {
			f.Arrived = f.Arrived.UTC()
			list.files[i] = f
		}
		return err
	})
	reading.Go(func() error {
		found, err := operation.Rows[Finding](ctx, p, "file_findings", sql.Arg("most", mostRows))
		list.findings = make([]Finding, len(found))
		for i, f := range found {
			f.Judged = f.Judged.UTC()
			list.findings[i] = f
		}
		return err
	})
	err := reading.Wait()
	return list, err
}

func (content *Content) readIncomplete(ctx context.Context, p operation.Pinned) error {
	type openDay struct {
		Total    uint64    `ch:"total"`
		Date     time.Time `ch:"date"`
		HasRate  bool      `ch:"has_rate"`
		HasData  bool      `ch:"has_data"`
		Prior    uint32    `ch:"prior_series"`
		Present  uint32    `ch:"present_series"`
		Rejected uint32    `ch:"rejected_series"`
	}
	found, err := operation.Rows[openDay](ctx, p, "incomplete_days", sql.Arg("most", mostRows))
	for _, d := range found {
		content.Incomplete.Total = d.Total
		content.Incomplete.Days = append(content.Incomplete.Days,
			OpenDay{model.DateOf(d.Date), d.HasRate, d.HasData, d.Prior, d.Present, d.Rejected})
	}
	return err
}
