package account

import (
	"strconv"
	"testing"
	"time"
)

// The midnights in Santiago at which clocks change.
var (
	summerBegins = time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC) // 00:00 does not exist
	summerEnds   = time.Date(2026, 4, 5, 4, 0, 0, 0, time.UTC) // 23:00 came twice
)

func TestProcessesTogetherNeverPassTheQuota(t *testing.T) {
	for name, env := range map[string][]string{"counting each": nil, "leasing": {childLeases + "=1"}} {
		t.Run(name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db testDatabase) {
				// Both start on an empty database, because opening concurrently is part of the
				// test.
				before := summerBegins.Add(-time.Nanosecond)
				children := []*child{
					startChild(t, "spend", db.dsn, before, env...),
					startChild(t, "spend", db.dsn, before, env...),
				}
				s := openStore(t, db.dsn)
				plaintext, k := issue(t, s, "ana@example.cl", Free, OwnQuota(150))
				for _, c := range children {
					if got := c.line(); got != "open" {
						t.Fatalf("the other process said %q", got)
					}
				}
				for _, c := range children {
					c.give(plaintext)
				}
				mine := spendAll(t, []*Store{s}, k, 100, before, summerBegins)
				allowed := mine[0] + mine[1]
				for _, c := range children {
					allowed += c.number()
					check(t, c.cmd.Wait())
				}
				// Requests may have been refused while the rest of the quota was leased by
				// another process. By now it was given back.
				rest := spendAll(t, []*Store{s}, k, 300, before, summerBegins)
				if rest[0]+rest[1] > 0 && env == nil {
					t.Errorf("%d requests were refused that the quota had room for", rest[0]+rest[1])
				}
				if allowed += rest[0] + rest[1]; allowed != 300 { // two days of 150, each requested far more often
					t.Errorf("%d requests were allowed over two days, want 300", allowed)
				}
			})
		})
	}
}

func TestWhatWasAcknowledgedSurvivesAKill(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db testDatabase) {
		s := openStore(t, db.dsn)
		plaintext, k := issue(t, s, "ana@example.cl", Internal)
		check(t, s.Close()) // so that only the child has the database open

		c := startChild(t, "forever", db.dsn, noon)
		c.line()
		c.give(plaintext)
		var acknowledged int64
		for range 200 {
			acknowledged = c.number()
		}
		check(t, c.cmd.Process.Kill())
		for c.out.Scan() { // output from before it died
			if n, err := strconv.ParseInt(c.out.Text(), 10, 64); err == nil {
				acknowledged = max(acknowledged, n)
			}
		}
		if err := c.cmd.Wait(); err == nil {
			t.Fatal("the process was not killed")
		}

		s = openStore(t, db.dsn)
		u, err := s.Usage(testContext(t), k, noon)
		check(t, err)
		if u.Used < acknowledged || u.Used > acknowledged+1 { // one request may be counted but not yet printed
			t.Errorf("%d requests are stored, %d were acknowledged", u.Used, acknowledged)
		}
		if _, err := s.Authenticate(testContext(t), plaintext); err != nil {
			t.Error(err)
		}
	})
}

// Two server processes spend a key around midnight. One is killed and another one replaces it.
// Each local date gets at most its quota, and no less, except for what the killed process had
// leased.
func TestAKillBetweenServersAtMidnightNeverPassesTheQuota(t *testing.T) {
	const quota = 400
	for _, way := range []struct {
		name     string
		midnight time.Time
		env      []string
		lost     int64 // requests that one kill may lose in both days together
	}{
		{"summer time begins", summerBegins, nil, 1}, // one may be allowed but not yet printed
		{"summer time ends", summerEnds, nil, 1},
		{"summer time begins, leased", summerBegins, []string{childLeases + "=1"}, quota/shareOfTheRest + 1},
		{"summer time ends, leased", summerEnds, []string{childLeases + "=1"}, quota/shareOfTheRest + 1},
	} {
		t.Run(way.name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db testDatabase) {
				s := openStore(t, db.dsn)
				plaintext, k := issue(t, s, "ana@example.cl", Free, OwnQuota(quota))
				var said [2]int64 // printed by the processes, for each day
				begin := func() *child {
					c := startChild(t, "midnight", db.dsn, way.midnight, way.env...)
					c.line()
					c.give(plaintext)
					return c
				}
				hear := func(c *child) {
					for c.out.Scan() {
						day, err := strconv.Atoi(c.out.Text())
						check(t, err)
						said[day]++
					}
				}
				doomed, steady := begin(), begin()
				for range 20 { // fewer if the other has used up everything first
					if !doomed.out.Scan() {
						break
					}
					day, err := strconv.Atoi(doomed.out.Text())
					check(t, err)
					said[day]++
				}
				check(t, doomed.cmd.Process.Kill())
				hear(doomed) // output from before it died
				if err := doomed.cmd.Wait(); err == nil {
					t.Log("the process had ended before it was killed")
				}
				next := begin()
				hear(steady)
				hear(next)
				check(t, steady.cmd.Wait())
				check(t, next.cmd.Wait())

				var lost int64
				for day, at := range []time.Time{way.midnight.Add(-time.Nanosecond), way.midnight} {
					allowed := said[day]
					for range quota { // requests that were given back last can be spent
						u, err := s.Spend(testContext(t), k, at)
						check(t, err)
						if !u.Allowed {
							break
						}
						allowed++
					}
					u, err := s.Usage(testContext(t), k, at)
					check(t, err)
					if u.Used != quota || allowed > quota {
						t.Errorf("day %d: %d requests are stored and %d were allowed, want %d", day, u.Used, allowed,
							quota)
					}
					lost += quota - allowed
				}
				if lost > way.lost {
					t.Errorf("%d requests were counted and never allowed, want at most %d", lost, way.lost)
				}
			})
		})
	}
}
