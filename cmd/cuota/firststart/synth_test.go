package firststart

import (
	"bytes"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"cuota/demo/synth"
)

func TestASyntheticMarketHasTheSizeThatWasSaidBefore(t *testing.T) {
	for _, config := range []synth.Config{
		{Series: 100, Days: 400, Seed: 1, End: synthEnd, Bad: synth.DefaultBad},
		{Series: 600, Days: 730, Seed: 1, End: synthEnd, Bad: synth.DefaultBad},
	} {
		dir := filepath.Join(t.TempDir(), "market")
		written, err := synth.Write(t.Context(), dir, config, nil)
		if err != nil {
			t.Fatal(err)
		}
		size := int64(0)
		err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				size += info.Size()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		said := costsOf(config)
		if math.Abs(said.rows/float64(written.Rows)-1) > .15 || math.Abs(said.files/float64(size)-1) > .3 {
			t.Errorf("%d series, %d days: said %.0f rows and %.0f bytes, wrote %d and %d", config.Series, config.Days,
				said.rows, said.files, written.Rows, size)
		}
	}
}

func TestTheCostsOfAMarketAreSaidInASentence(t *testing.T) {
	var out bytes.Buffer
	tellCosts(&out, synth.Config{Series: 600, Days: 730})
	for _, want := range []string{"600 series and 730 days", "million rows", "MB", "On two processors"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, out.String())
		}
	}
}
