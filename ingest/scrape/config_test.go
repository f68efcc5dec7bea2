package scrape

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cuota/model"
)

func TestTheExampleConfigurationIsValid(t *testing.T) {
	const path = "../../docs/sources.example.toml"
	config, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	folders := 0
	for _, source := range config.sources {
		if source.address == nil {
			folders++
		} else if source.interval < 10*time.Second {
			t.Errorf("source %s may ask every %s", source.name, source.interval)
		}
	}
	if folders == 0 || folders == len(config.sources) {
		t.Errorf("%d of %d sources are folders, want some of each", folders, len(config.sources))
	}
}

func TestASourceHasDefaultsThatItAndTheTopMayChange(t *testing.T) {
	config, err := parseConfig(agent+`
interval = "20s"
retries = 0
[[source]]
name = "a"
dataset = "cartola"
url = "https://example.org/{yyyy}{mm}{dd}"
period = "daily"
first = "2025-01-31"
at = "07:05"
timeout = "5m"
[[source]]
name = "b"
dataset = "holdings"
folder = "drop"
every = "90m"
interval = "30s"
`, "/etc/cuota")
	if err != nil {
		t.Fatal(err)
	}
	a, b := config.sources[0], config.sources[1]
	if a.manners != (manners{20 * time.Second, 5 * time.Minute, time.Minute, 0, 64 << 20}) ||
		b.interval != 30*time.Second || b.timeout != 2*time.Minute {
		t.Errorf("manners %+v and %+v", a.manners, b.manners)
	}
	if a.address.again != 10 || a.address.after != 1 || a.address.first != model.NewDate(2025, time.January, 31) ||
		a.schedule.hour != 7 || a.schedule.minute != 5 {
		t.Errorf("source a: %+v, %+v", a.address, a.schedule)
	}
	if got := a.address.file.expand(daily.around(a.address.first)); got != "a_20250131.csv" {
		t.Errorf("its files are called %s", got)
	}
	if b.folder != "/etc/cuota/drop" || b.schedule.every != 90*time.Minute {
		t.Errorf("source b: folder %s every %s", b.folder, b.schedule.every)
	}
}

func TestEveryMistakeNamesItsSourceItsKeyAndTheRemedy(t *testing.T) {
	const good = `[[source]]
name = "s"
dataset = "uf"
url = "https://example.org/{yyyy}{mm}{dd}"
period = "daily"
first = "2025-01-01"
at = "07:00"
`
	if _, err := parseConfig(agent+good, "/"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, key string }{
		{agent, "", "key user_agent must"},
		{agent, "user_agent = \"cuota\"\n", "key user_agent must"},
		{agent, "user_agent = \"cuota\\r\\nX: a@b.cl\"\n", "key user_agent must"},
		{agent, agent + "interval = \"0s\"\n", "key interval must be a time from 1s to 1h"},
		{agent, agent + "retries = 99\n", "key retries must be a number from 0 to 10"},
		{agent, agent + "retries = \"4\"\n", `(last key "retries")`},
		{agent, agent + "colour = 1\n", "key colour is unknown"},
		{good, "", "key source has 0 entries"},
		{good, good + good, "source s, key name is used twice"},
		{`"s"`, `"../s"`, "source number 1, key name must"},
		{`"uf"`, `"ufs"`, "source s, key dataset must be one of"},
		{`"https://example.org/{yyyy}{mm}{dd}"`, `"ftp://example.org/{yyyy}{mm}{dd}"`,
			"source s, key url must be an http or https address"},
		{`"https://example.org/{yyyy}{mm}{dd}"`, `"https://u:s3cret@exa mple.org/{yyyy}{mm}{dd}"`,
			"source s, key url must be an http or https address"},
		{`"https://example.org/{yyyy}{mm}{dd}"`, `"https://{yyyy}.example.org/{mm}{dd}"`,
			"source s, key url must have its placeholders after the host"},
		{`{yyyy}{mm}{dd}`, `{yyyy}{mm}`, "source s, key url must differ between daily periods"},
		{`{yyyy}{mm}{dd}`, `{year}`, "source s, key url cannot be read"},
		{`{yyyy}{mm}{dd}`, `x`, "source s, key url must differ"},
		{`period = "daily"`, ``, "source s, key period must be given"},
		{`period = "daily"`, `period = "weekly"`, "source s, key period must be"},
		{`"2025-01-01"`, `2025-01-01`, `(last key "source.first")`},
		{`"2025-01-01"`, `"2025-13-01"`, "source s, key first must"},
		{`"2025-01-01"`, `"1950-01-01"`, "source s, key first must"},
		{`"07:00"`, `"7:00"`, "source s, key at must be a time of day"},
		{`"07:00"`, `"25:00"`, "source s, key at must be a time of day"},
		{`at = "07:00"`, ``, "source s, key at or every must be given"},
		{`at = "07:00"`, "at = \"07:00\"\nevery = \"1h\"", "source s, key at or every must be given"},
		{`at = "07:00"`, `every = "1s"`, "source s, key every must be a time from 1m0s"},
		{`at = "07:00"`, "at = \"07:00\"\nfolder = \"x\"", "source s, key url or folder must be given"},
		{`at = "07:00"`, "at = \"07:00\"\nmatch = \"*\"", "source s, key match needs folder"},
		{`at = "07:00"`, "at = \"07:00\"\nagain = 0", "source s, key again must"},
		{`at = "07:00"`, "at = \"07:00\"\nafter_days = -1", "source s, key after_days must"},
		{`at = "07:00"`, "at = \"07:00\"\nmin_rows = -1", "source s, key min_rows must"},
		{`at = "07:00"`, "at = \"07:00\"\nfile = \"../{yyyy}\"", "source s, key file must be a plain name"},
		{`at = "07:00"`, "at = \"07:00\"\nfiel = \"x\"", "key source.fiel is unknown"},
		{`at = "07:00"`, "at = \"07:00\"\nredirect_hosts = [\"https://x\"]",
			"source s, key redirect_hosts must list hosts"},
		{`at = "07:00"`, "at = \"07:00\"\nform = { a = \"{x}\" }", "source s, key form.a cannot be read"},
		{`at = "07:00"`, `at = `, "line "},
		{`url = "https://example.org/{yyyy}{mm}{dd}"`, `folder = "x"`, "source s, key period needs url"},
		{`url = "https://example.org/{yyyy}{mm}{dd}"`, ``, "source s, key url or folder must be given"},
	} {
		_, err := parseConfig(strings.Replace(agent+good, c.old, c.new, 1), "/")
		if err == nil || !strings.Contains(err.Error(), c.key) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s instead of %s gives:\n%v\nwant %q in it", c.new, c.old, err, c.key)
		}
	}
}

func TestAConfigurationThatIsTooLargeOrMissingIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sources.toml")
	if _, err := Load(path); err == nil {
		t.Error("a missing file is taken")
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("#", maxConfig+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "larger than 1024 KiB") {
		t.Errorf("a large file gives %v", err)
	}
}

// FuzzConfig: whatever is taken can be scheduled, expanded and asked for.
func FuzzConfig(f *testing.F) {
	example, err := os.ReadFile("../../docs/sources.example.toml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(example))
	f.Add(agent + oneDocument)
	f.Add(agent + everyDay)
	f.Add(agent + aFolder)
	f.Fuzz(func(t *testing.T, text string) {
		config, err := parseConfig(text, "/somewhere")
		if err != nil {
			return
		}
		if config.agent == "" || len(config.sources) == 0 {
			t.Fatalf("taken: %+v", config)
		}
		for _, c := range config.sources {
			if c.interval < time.Second || c.timeout < time.Second || c.backoff < time.Second || c.maxBytes < 1 {
				t.Errorf("manners %+v", c.manners)
			}
			if next := c.schedule.next(morning); !next.After(morning) || c.schedule.latest(morning).After(morning) {
				t.Errorf("schedule %+v", c.schedule)
			}
			if c.address == nil {
				if !filepath.IsAbs(c.folder) {
					t.Errorf("folder %q", c.folder)
				}
				continue
			}
			s := &source{sourceConfig: c}
			p := c.address.cadence.around(c.address.first)
			q, err := s.question(p, &document{})
			if err != nil || q.url.Host != s.host() || q.url.Scheme != "http" && q.url.Scheme != "https" {
				t.Errorf("question %+v of host %s, %v", q, s.host(), err)
			}
			if name := c.address.file.expand(p); name != filepath.Base(name) {
				t.Errorf("file %q", name)
			}
		}
	})
}
