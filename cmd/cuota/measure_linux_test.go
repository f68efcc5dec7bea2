package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"cuota/cmd/cuota/admin"
	"cuota/cmd/cuota/datadir"
	"cuota/ingest/archive"
)

func TestEachFileTakesOneOfTheFreeInodes(t *testing.T) {
	const few = 200
	disk := smallDisk(t, fmt.Sprintf("1m,nr_inodes=%d", few))
	dir := &datadir.Directory{Path: disk}
	source := admin.DiskSource(dir, archive.New(dir.Archive(), time.Now))
	free := func() float64 {
		t.Helper()
		samples, err := source.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		of := samples["cuota_data_free_inodes"]
		if len(of) != 1 {
			t.Fatalf("free inodes: %v", of)
		}
		return of[0].Value
	}

	before := free()
	if before <= 0 || before > few {
		t.Fatalf("%v free inodes on an empty disk for %d files", before, few)
	}
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(disk, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if after := free(); after != before-20 {
		t.Errorf("%v free inodes before 20 files, %v after", before, after)
	}
}
