package series

import (
	"context"
	"slices"
	"time"
	"unsafe"

	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"
)

// sourceFile is a file of the market that a batch has. What is not known is nil.
type sourceFile struct {
	SHA256 string     `ch:"sha256"`
	Name   *string    `ch:"file"`
	Seen   *time.Time `ch:"seen_at"` // first, in UTC
}

// sourceFilesPart keeps the files of a batch by their hash, because looking up when they were seen takes
// ClickHouse long to plan.
var sourceFilesPart = batch.NewOptionalPart("source_files",
	func(ctx context.Context, s batch.Source) (map[string]sourceFile, int, error) {
		files, err := readSourceFiles(ctx, operation.PinnedBy(s), nil, true)
		size := 0
		for hash, of := range files {
			// with the key, and what is behind pointers
			size += 2*int(unsafe.Sizeof(of)) + len(hash) + int(unsafe.Sizeof(time.Time{}))
			if of.Name != nil {
				size += int(unsafe.Sizeof("")) + len(*of.Name)
			}
		}
		return files, size, err
	})

// sourceFilesOf returns at least those of the files of some lines that the batch has. hash is the hash of the file of a
// line; many lines may be of one file.
func sourceFilesOf(ctx context.Context, p operation.Pinned, lines int,
	hash func(line int) string) (map[string]sourceFile, error) {
	if files, there := sourceFilesPart.Of(p.Batch); there || lines == 0 {
		return files, nil
	}
	hashes := make([]string, lines)
	for i := range hashes {
		hashes[i] = hash(i)
	}
	slices.Sort(hashes)
	return readSourceFiles(ctx, p, slices.Compact(hashes), false)
}

func readSourceFiles(ctx context.Context, p operation.Pinned, hashes []string,
	all bool) (map[string]sourceFile, error) {
	found, err := operation.Rows[sourceFile](ctx, p, "source_files", sql.Arg("files", hashes),
		sql.Arg("all_files", all))
	files := make(map[string]sourceFile, len(found))
	for _, of := range found {
		of.Seen = facts.UTC(of.Seen)
		files[of.SHA256] = of
	}
	return files, err
}
