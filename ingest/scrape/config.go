package scrape

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"cuota/model"
)

// Bounds of a configuration.
const (
	maxConfig  = 1 << 20 // bytes of the file
	maxSources = 200
	maxBytes   = 512 << 20 // of a payload, the same as in the archive
	maxAgain   = 1000      // periods
	maxAfter   = 400       // days
	maxRetries = 10
)

// Config says what to fetch, from where and when. Load reads it.
type Config struct {
	agent   string
	sources []sourceConfig
}

// sourceConfig is one source: either address or folder is set.
type sourceConfig struct {
	name     string
	dataset  model.Dataset
	address  *addressConfig
	folder   string // absolute path
	match    string // pattern of the names in the folder; empty: every name
	schedule schedule
	minRows  uint64
	manners
}

// addressConfig describes the requests of a source.
type addressConfig struct {
	url       template
	form      map[string]template // fields of a POST; nil: a GET
	file      template            // name under which a payload is archived
	cadence   cadence
	first     model.Date
	again     int      // how many of the newest periods are asked for again each time
	after     int      // days after the last day of a period before it is asked for
	redirects []string // hosts to which redirects are followed, besides the address's own
}

// manners are the limits that protect a source and this program.
type manners struct {
	interval time.Duration // minimum time between two requests to the host
	timeout  time.Duration // of a whole request
	backoff  time.Duration // pause after a failure; doubled after each further one
	retries  int           // failures in a row before the source waits for its schedule
	maxBytes int64         // of a payload
}

// civil are the manners of a source that does not set its own.
var civil = manners{interval: 10 * time.Second, timeout: 2 * time.Minute, backoff: time.Minute, retries: 4,
	maxBytes: 64 << 20}

// configText is the structure of the TOML file.
type configText struct {
	UserAgent string `toml:"user_agent"`
	MannersText
	Sources []sourceText `toml:"source"`
}

// MannersText holds the settings of manners, at the top of the file for all sources or
// in one source for that source. The type is exported because the decoder needs that of
// embedded types.
type MannersText struct {
	Interval *string `toml:"interval"`
	Timeout  *string `toml:"timeout"`
	Backoff  *string `toml:"backoff"`
	Retries  *int64  `toml:"retries"`
	MaxBytes *int64  `toml:"max_bytes"`
}

type sourceText struct {
	Name    string `toml:"name"`
	Dataset string `toml:"dataset"`

	URL           string            `toml:"url"`
	Form          map[string]string `toml:"form"`
	File          string            `toml:"file"`
	Period        string            `toml:"period"`
	First         string            `toml:"first"`
	Again         *int64            `toml:"again"`
	AfterDays     *int64            `toml:"after_days"`
	RedirectHosts []string          `toml:"redirect_hosts"`

	Folder string `toml:"folder"`
	Match  string `toml:"match"`

	At      string `toml:"at"`
	Every   string `toml:"every"`
	MinRows int64  `toml:"min_rows"`
	MannersText
}

// Load reads the configuration file. The error names every wrong key and says what to
// write. It never contains a value of url or form, because these may hold secrets.
func Load(path string) (Config, error) {
	file, err := os.Open(path)
	if err != nil {
		return Config{}, fmt.Errorf("open the configuration of sources: %w", err)
	}
	defer func() { _ = file.Close() }() // only read from: no data can be lost
	text, err := io.ReadAll(io.LimitReader(file, maxConfig+1))
	if err != nil {
		return Config{}, fmt.Errorf("read the configuration of sources: %w", err)
	}
	if len(text) > maxConfig {
		return Config{}, fmt.Errorf("%s is larger than %d KiB, the size limit of a configuration of sources", path,
			maxConfig>>10)
	}
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return Config{}, fmt.Errorf("find the directory of %s: %w", path, err)
	}
	config, err := parseConfig(string(text), dir)
	if err != nil {
		return Config{}, fmt.Errorf("%s:\n%w", path, err)
	}
	return config, nil
}

// parseConfig reads the text of a configuration. Folders in it are relative to dir.
func parseConfig(text, dir string) (Config, error) {
	var written configText
	meta, err := toml.Decode(text, &written)
	if err != nil {
		if syntax, is := errors.AsType[toml.ParseError](err); is {
			// The decoder's own error may repeat values.
			return Config{}, fmt.Errorf(
				"line %d, near key %q: not valid TOML; put texts, times and dates in quotes, and numbers without quotes",
				syntax.Position.Line, syntax.LastKey)
		}
		return Config{}, fmt.Errorf("%w; put texts, times and dates in quotes, and numbers without quotes", err)
	}
	var wrong problems
	for _, key := range meta.Undecoded() {
		wrong.add("", key.String(), "is unknown; compare its spelling with docs/scrape.md")
	}
	config := Config{agent: written.UserAgent}
	if !tellsContact(config.agent) {
		wrong.add("", "user_agent",
			`must tell the sites who sends the requests and how to contact them, in ASCII; write "cuota (+mailto:you@example.org)" with your address`)
	}
	general := written.read("", civil, &wrong)
	if n := len(written.Sources); n == 0 || n > maxSources {
		wrong.add("", "source", "has %d entries; write one [[source]] for each source, at most %d", n, maxSources)
	}
	names := map[string]bool{}
	for i, source := range written.Sources[:min(len(written.Sources), maxSources)] {
		if !sourceName.MatchString(source.Name) {
			wrong.add(fmt.Sprintf("source number %d", i+1), "name",
				`must be 1 to 40 lower-case letters, digits or -, as in "register"`)
			continue
		}
		if names[source.Name] {
			wrong.add("source "+source.Name, "name", "is used twice; give each source a different name")
		}
		names[source.Name] = true
		config.sources = append(config.sources, source.read(dir, general, &wrong))
	}
	return config, wrong.err()
}

// problems collects everything that is wrong with a configuration.
type problems []error

func (p *problems) add(where, key, format string, args ...any) {
	if where != "" {
		where += ", "
	}
	*p = append(*p, fmt.Errorf("%skey %s "+format, append([]any{where, key}, args...)...))
}

func (p problems) err() error { return errors.Join(p...) }

var (
	sourceName  = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	contact     = regexp.MustCompile(`[^\s@]+@[^\s@]+\.[^\s@]+|https?://[^\s/]+`)
	timeOfDay   = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
	hostAndPort = regexp.MustCompile(`^[A-Za-z0-9.-]+(:[0-9]{1,5})?$`)
)

// tellsContact reports whether a User-Agent contains an address where the site can
// complain.
func tellsContact(agent string) bool {
	for _, r := range agent {
		if r < ' ' || r > '~' {
			return false
		}
	}
	return len(agent) <= 200 && contact.MatchString(agent)
}

// read returns the settings of the file, and the defaults for those that are missing.
func (w MannersText) read(where string, defaults manners, wrong *problems) manners {
	m := defaults
	duration := func(key string, text *string, least, most time.Duration, into *time.Duration) {
		if text == nil {
			return
		}
		d, err := time.ParseDuration(*text)
		if err != nil || d < least || d > most {
			wrong.add(where, key, `must be a time from %s to %s, as in "%s"`, least, most, *into)
			return
		}
		*into = d
	}
	count := func(key string, number *int64, least, most int64) int64 {
		if *number < least || *number > most {
			wrong.add(where, key, "must be a number from %d to %d", least, most)
			return least
		}
		return *number
	}
	duration("interval", w.Interval, time.Second, time.Hour, &m.interval)
	duration("timeout", w.Timeout, time.Second, time.Hour, &m.timeout)
	duration("backoff", w.Backoff, time.Second, time.Hour, &m.backoff)
	if w.Retries != nil {
		m.retries = int(count("retries", w.Retries, 0, maxRetries))
	}
	if w.MaxBytes != nil {
		m.maxBytes = count("max_bytes", w.MaxBytes, 1, maxBytes)
	}
	return m
}

// read checks one source.
func (w sourceText) read(dir string, general manners, wrong *problems) sourceConfig {
	where := "source " + w.Name
	source := sourceConfig{name: w.Name, manners: w.MannersText.read(where, general, wrong)}
	var err error
	if source.dataset, err = model.ParseDataset(w.Dataset); err != nil {
		wrong.add(where, "dataset", "must be one of %v", model.Datasets)
	}
	if w.MinRows < 0 {
		wrong.add(where, "min_rows", "must not be negative")
	}
	source.minRows = uint64(max(w.MinRows, 0))
	source.schedule = w.schedule(where, wrong)
	switch {
	case w.URL != "" && w.Folder == "":
		if w.Match != "" {
			wrong.add(where, "match", "needs folder; a source with url must not have it")
		}
		source.address = w.address(where, wrong)
	case w.Folder != "" && w.URL == "":
		w.folderAlone(where, wrong)
		source.folder, source.match = w.Folder, w.Match
		if !filepath.IsAbs(source.folder) {
			source.folder = filepath.Join(dir, source.folder)
		}
		if _, err := filepath.Match(w.Match, "name"); err != nil || strings.ContainsRune(w.Match, '/') {
			wrong.add(where, "match", `must be a pattern for file names without directories, as in "ffmm_*.txt"`)
		}
	default:
		wrong.add(where, "url", "or folder must be given, but not both")
	}
	return source
}

// folderAlone reports keys that a source with a folder must not have.
func (w sourceText) folderAlone(where string, wrong *problems) {
	given := map[string]bool{
		"form": w.Form != nil, "file": w.File != "", "period": w.Period != "", "first": w.First != "",
		"again": w.Again != nil, "after_days": w.AfterDays != nil, "redirect_hosts": w.RedirectHosts != nil,
	}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if given[key] {
			wrong.add(where, key, "needs url; a source with folder must not have it")
		}
	}
}

func (w sourceText) schedule(where string, wrong *problems) schedule {
	var s schedule
	switch {
	case (w.At == "") == (w.Every == ""):
		wrong.add(where, "at", `or every must be given, but not both: at = "21:30" in Santiago's time, or every = "6h"`)
	case w.At != "":
		moment, err := time.Parse("15:04", w.At)
		if err != nil || !timeOfDay.MatchString(w.At) {
			wrong.add(where, "at", `must be a time of day in Santiago, as in "21:30"`)
		}
		s.hour, s.minute = moment.Hour(), moment.Minute()
	default:
		const least, most = time.Minute, 31 * 24 * time.Hour
		d, err := time.ParseDuration(w.Every)
		if err != nil || d < least || d > most {
			wrong.add(where, "every", `must be a time from %s to %s, as in "6h"`, least, most)
			d = least
		}
		s.every = d
	}
	return s
}

func (w sourceText) address(where string, wrong *problems) *addressConfig {
	a := &addressConfig{cadence: cadence(w.Period), after: 1}
	asked := w.asked(where, a, wrong)
	if a.cadence == standing {
		if asked.dated() || w.First != "" || w.Again != nil || w.AfterDays != nil {
			wrong.add(where, "period",
				`must be given ("daily", "monthly" or "quarterly") for placeholders, first, again and after_days`)
		}
	} else {
		w.dates(where, a, asked, wrong)
	}
	if a.file = w.fileTemplate(where, a.cadence, wrong); a.file.dated() && a.cadence == standing {
		wrong.add(where, "file", "has placeholders, but the source has no period")
	}
	for _, host := range w.RedirectHosts {
		if !hostAndPort.MatchString(host) {
			wrong.add(where, "redirect_hosts", `must list hosts, as in "files.example.org"`)
		}
		a.redirects = append(a.redirects, strings.ToLower(host))
	}
	return a
}

// asked reads the url and the form. It returns a template with the placeholders of both.
func (w sourceText) asked(where string, a *addressConfig, wrong *problems) template {
	var err error
	if a.url, err = parseTemplate(w.URL); err != nil {
		wrong.add(where, "url", "cannot be read: %w", err)
		return template{}
	}
	// An address that cannot be parsed is not shown: it may hold a password.
	sample := daily.around(model.NewDate(2025, time.January, 31))
	parsed, err := url.Parse(a.url.expand(sample))
	switch {
	case err != nil || parsed.Hostname() == "" || parsed.Scheme != "http" && parsed.Scheme != "https" ||
		parsed.Fragment != "":
		wrong.add(where, "url", `must be an http or https address, percent-encoded, as in "https://example.org/{yyyy}/{mm}/{dd}.csv"`)
	case !strings.Contains(a.url.parts[0], "://") ||
		a.url.dated() && !strings.ContainsAny(strings.SplitN(a.url.parts[0], "://", 2)[1], "/?"):
		wrong.add(where, "url", "must have its placeholders after the host")
	}
	all := template{parts: slices.Clone(a.url.parts)}
	if w.Form != nil {
		a.form = map[string]template{}
	}
	for _, name := range slices.Sorted(maps.Keys(w.Form)) {
		field, err := parseTemplate(w.Form[name])
		if err != nil {
			wrong.add(where, "form."+name, "cannot be read: %w", err)
			continue
		}
		a.form[name] = field
		if field.dated() {
			all.parts = append(all.parts, field.parts[1:]...)
		}
	}
	return all
}

// dates reads the keys of a source that has periods.
func (w sourceText) dates(where string, a *addressConfig, asked template, wrong *problems) {
	byCadence := map[cadence]bool{
		daily:     asked.holds("yyyy", "last_yyyy") && asked.holds("mm", "last_mm") && asked.holds("dd", "last_dd"),
		monthly:   asked.holds("yyyy", "last_yyyy") && asked.holds("mm", "last_mm"),
		quarterly: asked.holds("yyyy", "last_yyyy") && asked.holds("mm", "last_mm", "q"),
	}
	usual := map[cadence]int{daily: 10, monthly: 3, quarterly: 2}
	switch tells, known := byCadence[a.cadence]; {
	case !known:
		wrong.add(where, "period",
			`must be "daily", "monthly" or "quarterly", or be omitted for a document that is replaced at the same URL`)
	case !tells:
		wrong.add(where, "url", "must differ between %s periods, in the url or in the form; the placeholders are {%s}",
			a.cadence, strings.Join(words, "} {"))
	}
	a.again = usual[a.cadence]
	var err error
	earliest := model.NewDate(1971, time.January, 1)
	if a.first, err = model.ParseDate(w.First); err != nil || a.first.Compare(earliest) < 0 {
		a.first = earliest
		wrong.add(where, "first", `must be the first day to fetch, from %s on, in quotes as in "2025-01-01"`, earliest)
	}
	if w.Again != nil {
		if *w.Again < 1 || *w.Again > maxAgain {
			wrong.add(where, "again", "must be a number of periods from 1 to %d", maxAgain)
		}
		a.again = int(min(max(*w.Again, 1), maxAgain))
	}
	if w.AfterDays != nil {
		if *w.AfterDays < 0 || *w.AfterDays > maxAfter {
			wrong.add(where, "after_days", "must be a number of days from 0 to %d", maxAfter)
		}
		a.after = int(min(max(*w.AfterDays, 0), maxAfter))
	}
}

// fileTemplate reads the file name of payloads. Some datasets take a date from it.
func (w sourceText) fileTemplate(where string, c cadence, wrong *problems) template {
	text := w.File
	if text == "" {
		text = w.Name + map[cadence]string{
			daily: "_{yyyy}{mm}{dd}", monthly: "_{yyyy}{mm}", quarterly: "_{last_yyyy}{last_mm}",
		}[c] + ".csv"
	}
	file, err := parseTemplate(text)
	if err != nil {
		wrong.add(where, "file", "cannot be read: %w", err)
	}
	if strings.ContainsAny(text, "/\\\x00") || strings.HasPrefix(text, ".") || len(text) > 150 {
		wrong.add(where, "file", `must be a plain name of at most 150 bytes, as in "naci_{yyyy}{mm}.txt"`)
	}
	return file
}
