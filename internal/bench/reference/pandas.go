package reference

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

//go:embed pandas_backtest.py
var pandasScript string

//go:embed pandas_requirements.txt
var pandasRequirements string

// ErrNoPandas says that pandas is not here and can't be installed. The error around it says why.
var ErrNoPandas = errors.New("pandas can't be had: install python3 with venv (3.11 or newer), and let pip reach its package index")

// installPatience limits the installation of pandas, runPatience the script. noteLimit is how
// many bytes of what a program said are repeated in an error.
const (
	installPatience = 5 * time.Minute
	runPatience     = 20 * time.Minute
	noteLimit       = 500
)

// Pandas selects series and sums up the market with pandas (pandas_backtest.py says how, and
// what it leaves out).
type Pandas struct{ python string }

// NewPandas finds pandas in a folder of the user's cache directory, or installs it there, in the
// versions of pandas_requirements.txt. It fails with ErrNoPandas if that is not possible.
func NewPandas(ctx context.Context) (Pandas, error) {
	ctx, cancel := context.WithTimeout(ctx, installPatience)
	defer cancel()
	cache, err := os.UserCacheDir()
	if err != nil {
		return Pandas{}, fmt.Errorf("%w: %w", ErrNoPandas, err)
	}
	// An environment depends on the interpreter that made it.
	version, err := output(ctx, nil, "python3", "-I", "-c", "import sys; print(sys.version)")
	if err != nil {
		return Pandas{}, fmt.Errorf("%w: %w", ErrNoPandas, err)
	}
	sum := sha256.Sum256([]byte(pandasRequirements + string(version)))
	dir := filepath.Join(cache, "cuota", "pandas", hex.EncodeToString(sum[:6]))
	p := Pandas{filepath.Join(dir, "bin", "python")}
	if _, err := os.Stat(p.python); err == nil {
		return p, nil
	}
	if err := install(ctx, dir); err != nil {
		return Pandas{}, fmt.Errorf("%w: %w", ErrNoPandas, err)
	}
	return p, nil
}

// install makes the environment beside its folder and renames it, so that the folder is complete
// if it is there, also if two processes install.
func install(ctx context.Context, dir string) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("make the cache directory: %w", err)
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return fmt.Errorf("make an environment of Python: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(made)) }()
	wanted := filepath.Join(made, "requirements.txt")
	if err := os.WriteFile(wanted, []byte(pandasRequirements), 0o644); err != nil {
		return fmt.Errorf("make an environment of Python: %w", err)
	}
	python := filepath.Join(made, "bin", "python")
	for _, command := range [][]string{
		{"python3", "-m", "venv", made},
		{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--require-hashes", "-r", wanted},
	} {
		if _, err := output(ctx, nil, command[0], command[1:]...); err != nil {
			return err
		}
	}
	if err := os.Rename(made, dir); err != nil && !errors.Is(err, fs.ErrExist) { // another process was faster
		return fmt.Errorf("keep the environment of Python: %w", err)
	}
	return nil
}

// PandasOrder says what is selected.
type PandasOrder struct {
	From       string           `json:"from"` // YYYY-MM-DD
	To         string           `json:"to"`
	Strategies []PandasStrategy `json:"strategies"`
}

// PandasStrategy is a strategy by month with equal weights and one series of each fund.
type PandasStrategy struct {
	Sort     string `json:"sort"`  // a window
	Order    string `json:"order"` // asc or desc
	Top      int    `json:"top"`
	Currency string `json:"currency"` // of the series
}

// PandasOutcome is how long each part took, and what came of it.
type PandasOutcome struct {
	Read        PandasTime            `json:"read"`         // of the files that strategies need
	One         PandasTime            `json:"one"`          // the first strategy, from the rows of the files
	Further     PandasTime            `json:"further"`      // all others, from what the first one has put together
	ReadSummary PandasTime            `json:"read_summary"` // of the file that the summary needs
	Summary     PandasTime            `json:"summary"`      // families of each day, from the rows of the file
	Rows        int                   `json:"rows"`         // series and days
	Growth      []float64             `json:"growth"`       // of each strategy over the period; 1 is none
	Selections  []map[string][]uint32 `json:"selections"`   // of each strategy: ids of series by month end
	Families    struct {
		Equal int `json:"equal"` // changes of families that equal those of family_daily to 1e-9
		Of    int `json:"of"`
	} `json:"families"`
}

// PandasTime is the time and the processor time of a part, in seconds.
type PandasTime struct {
	Seconds float64 `json:"seconds"`
	CPU     float64 `json:"cpu"`
}

// Plus adds the time of another part.
func (t PandasTime) Plus(u PandasTime) PandasTime {
	return PandasTime{t.Seconds + u.Seconds, t.CPU + u.CPU}
}

// Run reads the Parquet files of a folder and does what is ordered.
func (p Pandas) Run(ctx context.Context, folder string, order PandasOrder) (done PandasOutcome, err error) {
	ctx, cancel := context.WithTimeout(ctx, runPatience)
	defer cancel()
	script := filepath.Join(folder, "pandas_backtest.py")
	if err := os.WriteFile(script, []byte(pandasScript), 0o644); err != nil {
		return done, fmt.Errorf("write the script for pandas: %w", err)
	}
	input, err := json.Marshal(order)
	if err != nil {
		return done, err
	}
	answer, err := output(ctx, input, p.python, "-I", script, folder)
	if err != nil {
		return done, err
	}
	if err := json.Unmarshal(answer, &done); err != nil {
		return done, fmt.Errorf("read what pandas found: %w", err)
	}
	if len(done.Selections) != len(order.Strategies) {
		return done, fmt.Errorf("pandas ran %d strategies of %d", len(done.Selections), len(order.Strategies))
	}
	return done, nil
}

// output runs a program and gives its standard output. An error has the end of what it said.
func output(ctx context.Context, input []byte, program string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, program, args...)
	var said bytes.Buffer
	command.Stdin, command.Stderr = bytes.NewReader(input), &said
	answer, err := command.Output()
	if err != nil {
		note := strings.TrimSpace(said.String())
		return nil, fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, note[max(0, len(note)-noteLimit):])
	}
	return answer, nil
}
