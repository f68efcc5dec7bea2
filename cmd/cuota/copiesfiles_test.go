//go:build linux

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
)

// firstFiles is how many files an installation of copies has before the first fault.
const firstFiles = 9

// asMarket lists the first files of a market for scripts/copies, and returns the directory of the list.
func (s sliced) asMarket(t *testing.T, files int) string {
	t.Helper()
	dir := filepath.Dir(s.first)
	list := "dataset,file,published,derived\n"
	for _, file := range s.files[:files] {
		path, err := filepath.Rel(dir, file.path)
		if err != nil {
			t.Fatal(err)
		}
		list += fmt.Sprintf("cartola,%s,%s,real\n", path, file.published)
	}
	if err := os.WriteFile(filepath.Join(dir, "sources.csv"), []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// hash is the hash by which the tables know the file.
func (f slicedFile) hash(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// lastQuota returns the last day that a file has of the long series, and its quota.
func (f slicedFile) lastQuota() (day, quota string, err error) {
	text, err := os.ReadFile(f.path)
	if err != nil {
		return "", "", err
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Split(line, ";"); fields[columnRUN] == "9809" && fields[columnSeries] == "B" {
			day, quota = fields[columnDay], fields[columnQuota]
		}
	}
	if day == "" {
		return "", "", fmt.Errorf("%s does not have the series", f.path)
	}
	return day[:4] + "-" + day[4:6] + "-" + day[6:], quota, nil
}

// feeder ingests files one after the other while faults happen.
type feeder struct {
	t        *testing.T
	random   *rand.Rand
	commands []*storm // each runs commands on one copy
	asks     *copiesReader

	acknowledged []slicedFile
	took         []time.Duration // from the first attempt to ingest a file to the first answer with it
}

// run ingests the files until there are no more, or over is closed. Now and then it commands a batch.
func (f *feeder) run(files []slicedFile, over <-chan struct{}) {
	for n, file := range files {
		begun := time.Now()
		if !f.ingest(file, over) {
			return
		}
		f.acknowledged = append(f.acknowledged, file)
		switch {
		case n%3 == 1: // the next file follows at once
			continue
		case n%12 == 5:
			f.any().do("project", "--now")
		case n%12 == 11:
			f.any().do("rebuild")
		}
		if !f.await(file, over) {
			return
		}
		f.took = append(f.took, time.Since(begun))
	}
}

// any draws a copy for the next command.
func (f *feeder) any() *storm { return f.commands[f.random.IntN(len(f.commands))] }

// ingest tries until a file is acknowledged. It returns false if over is closed before.
func (f *feeder) ingest(file slicedFile, over <-chan struct{}) bool {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for !f.any().do("ingest", "cartola", file.path, "--published", file.published) {
		select {
		case <-over:
			return false
		case <-again.C:
		}
	}
	return true
}

// finish ingests files once nothing is wrong any more.
func (f *feeder) finish(s *copiesStorm, files []slicedFile) {
	for n, file := range files {
		on := f.commands[n%len(f.commands)]
		s.await(file.path+" is ingested", func() bool {
			return on.do("ingest", "cartola", file.path, "--published", file.published)
		})
	}
}

// await waits until the balancer answers with what a file says.
func (f *feeder) await(file slicedFile, over <-chan struct{}) bool {
	day, quota, err := file.lastQuota()
	if err != nil {
		f.t.Error(err)
		return false
	}
	late := time.After(patience)
	for {
		if f.answersWith(day, quota) {
			return true
		}
		select {
		case <-over:
			return false
		case <-late:
			f.t.Errorf("the quota %s of %s in %s is not answered", quota, day, file.path)
			return false
		case <-f.asks.pace.C:
		}
	}
}

func (f *feeder) answersWith(day, quota string) bool {
	got, answered := f.asks.ask(question{path: longSeries + "/days?date=" + day})
	if !answered || got.status != http.StatusOK {
		return false
	}
	var found struct {
		Data []struct {
			Attributes struct {
				Price json.Number `json:"price"`
			} `json:"attributes"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(got.body), &found); err != nil || len(found.Data) > 1 {
		f.t.Errorf("%s: %v: %.300s", day, err, got.body)
		return false
	}
	if len(found.Data) == 0 {
		return false
	}
	is, err := decimal.NewFromString(found.Data[0].Attributes.Price.String())
	return err == nil && is.Equal(decimal.RequireFromString(quota))
}

// summary describes how long files took.
func (f *feeder) summary() string {
	var b strings.Builder
	if took := slices.Sorted(slices.Values(f.took)); len(took) > 0 {
		fmt.Fprintf(&b, "%d files were awaited: from ingest to the first answer %s at least, median %s, at most %s\n",
			len(took), took[0].Round(time.Second/10), took[len(took)/2].Round(time.Second/10),
			took[len(took)-1].Round(time.Second/10))
	}
	commands, failed := 0, map[string]int{}
	for _, s := range f.commands {
		commands += s.commands
		for said, times := range s.failures {
			failed[said] += times
		}
	}
	fmt.Fprintf(&b, "%d files were acknowledged, by %d commands; those that failed said:\n", len(f.acknowledged),
		commands)
	for said, times := range failed {
		fmt.Fprintf(&b, "  %4d  %.300s\n", times, said)
	}
	return b.String()
}
