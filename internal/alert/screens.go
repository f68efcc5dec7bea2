package alert

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"cuota/internal/sqlrows"
	"cuota/model"
)

// Screens finds the series of saved screens. The query server implements it.
type Screens interface {
	// ScreenSeries returns the ids of the series that a screen has in a batch, in one order. It returns false if the
	// query is wrong, or if the batch can't be asked any more.
	ScreenSeries(ctx context.Context, query, batchID string) (ids []string, there bool, err error)
}

// screenChange is what entered a saved screen and what left it. The series are ids, each series one.
type screenChange struct {
	name          string
	entered, left []string
}

// found is what saved screens have in a batch.
type found struct {
	ids   map[string][]string         // of each query; nil for one that can't be asked
	names map[string]model.SeriesName // of series of changed screens, by each id that the series ever had
	// unsure: names lacks some, so a renamed series may look like two.
	unsure bool
}

func newFound() *found {
	return &found{ids: map[string][]string{}, names: map[string]model.SeriesName{}}
}

// current returns the current id of the series that has, or had, an id. Rows of a renamed series have another id than
// before.
func (f *found) current(id string) string {
	if named, there := f.names[id]; there {
		return named.IDs[0]
	}
	return id
}

const (
	// screenWithin is how long one screen may take.
	screenWithin = 20 * time.Second
	// namesAtOnce is how many series are named at once.
	namesAtOnce = 1000
)

// screensIn finds the screens of the next people. It is done before the transaction that tells them, because that must
// not wait for another system. A screen that fails keeps nobody's mail back: it is looked at again with the next batch.
func (a *Alerts) screensIn(ctx context.Context, in *found, batchID, after string) error {
	if a.config.Screens == nil {
		return nil
	}
	var screens []savedScreen
	err := a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		screens, err = sqlrows.All(ctx, tx, statement("screens_of_people"), readScreen, after, page)
		return err
	})
	if err != nil {
		return fmt.Errorf("list the saved screens: %w", err)
	}
	unnamed := map[string]bool{}
	for _, s := range screens {
		ids, asked := in.ids[s.query]
		if !asked {
			if ids, err = a.askScreen(ctx, s.query, batchID); err != nil {
				return err
			}
			in.ids[s.query] = ids
		}
		if ids == nil {
			continue
		}
		change := s.changed(in)
		for _, id := range slices.Concat(change.entered, change.left) {
			if _, named := in.names[id]; !named {
				unnamed[id] = true
			}
		}
	}
	return a.nameChanged(ctx, in, batchID, slices.Sorted(maps.Keys(unnamed)))
}

// nameChanged reads the names and all ids of series, which must be those of the same batch as the series of the
// screens. If that fails, in is unsure. It fails only if ctx has ended.
func (a *Alerts) nameChanged(ctx context.Context, in *found, batchID string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	err := func() error {
		batches, err := a.reader.batches(ctx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(batches, func(b batch) bool { return b.ID == batchID })
		if at < 0 {
			return errRetired
		}
		for some := range slices.Chunk(ids, namesAtOnce) {
			names, readable, err := a.reader.names(ctx, batches[at], some)
			if err != nil {
				return err
			}
			if !readable {
				return errRetired
			}
			for _, name := range names {
				for _, id := range name.IDs {
					in.names[id] = name
				}
			}
		}
		return nil
	}()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		in.unsure = true
		a.log.Warn().Err(err).Str("batch_id",
			batchID).Msg("changes of saved screens can't be told; trying again with the next batch")
	}
	return nil
}

// askScreen returns the series of a screen, nil if it can't be asked. It fails only if ctx has ended.
func (a *Alerts) askScreen(ctx context.Context, query, batchID string) ([]string, error) {
	within, cancel := context.WithTimeout(ctx, screenWithin)
	defer cancel()
	ids, there, err := a.config.Screens.ScreenSeries(within, query, batchID)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		a.log.Warn().Err(err).Str("batch_id", batchID).Msg("a saved screen can't be looked at; trying again with the next batch")
		return nil, nil
	case !there:
		return nil, nil
	}
	return append([]string{}, ids...), nil // an empty screen is not nil
}

// savedScreen is a screen with the ids of its series in the last batch of which its person was told; none if there is
// no such batch.
type savedScreen struct {
	name, query string
	found       sql.NullString
}

func readScreen(row *sql.Rows) (s savedScreen, err error) {
	err = row.Scan(&s.name, &s.query, &s.found)
	return s, err
}

// changed returns how a screen changed that was looked at now. One that was looked at for the first time did not.
func (s savedScreen) changed(now *found) screenChange {
	change := screenChange{name: s.name}
	if s.found.Valid {
		before, ids := strings.Fields(s.found.String), now.ids[s.query]
		change.entered, change.left = now.notIn(ids, before), now.notIn(before, ids)
	}
	return change
}

// notIn returns the current ids of those series that are in a list and not in another one, each once.
func (f *found) notIn(list, other []string) (only []string) {
	seen := make(map[string]bool, len(other))
	for _, id := range other {
		seen[f.current(id)] = true
	}
	for _, id := range list {
		if id = f.current(id); !seen[id] {
			seen[id] = true
			only = append(only, id)
		}
	}
	return only
}

// screensOf returns how the screens of a person have changed since the last batch of which the person was told, and
// stores what they have now.
func screensOf(ctx context.Context, tx *sql.Tx, person string, now *found) (changes []screenChange, err error) {
	list, err := sqlrows.All(ctx, tx, statement("screens_of"), readScreen, person)
	if err != nil {
		return nil, fmt.Errorf("read the saved screens of an account: %w", err)
	}
	for _, s := range list {
		ids := now.ids[s.query]
		if ids == nil {
			continue
		}
		if change := s.changed(now); change.count() > 0 {
			if now.unsure {
				continue
			}
			changes = append(changes, change)
		}
		text := strings.Join(ids, " ")
		if s.found.Valid && s.found.String == text {
			continue
		}
		if _, err := tx.ExecContext(ctx, statement("screen_found"), text, person, s.name, s.query); err != nil {
			return nil, fmt.Errorf("store the series of a saved screen: %w", err)
		}
	}
	return changes, nil
}

// mostNamed is how many series a letter names of those that entered a screen, or left it.
const mostNamed = 50

func atMost(ids []string) []string { return ids[:min(len(ids), mostNamed)] }

// groups are the sections of a letter about a changed screen.
func (c screenChange) groups(names map[string]model.SeriesName) (list []group) {
	name := oneLine(c.name)
	for _, part := range []struct {
		ids              []string
		spanish, english string
	}{
		{c.entered, "Entraron a su búsqueda «" + name + "»", "Entered your screen “" + name + "”"},
		{c.left, "Salieron de su búsqueda «" + name + "»", "Left your screen “" + name + "”"},
	} {
		g := group{Spanish: part.spanish, English: part.english}
		for _, id := range atMost(part.ids) {
			text := "serie " + id
			if named, there := names[id]; there {
				text = seriesName(named.Fund, named.Serie, named.RUN)
			}
			g.Lines = append(g.Lines, line{Series: text})
		}
		if more := len(part.ids) - mostNamed; more > 0 {
			g.Lines = append(g.Lines, line{Series: fmt.Sprintf("y %d más / and %[1]d more", more)})
		}
		list = append(list, g)
	}
	return withLines(list)
}

// count returns how many series entered or left.
func (c screenChange) count() int { return len(c.entered) + len(c.left) }
