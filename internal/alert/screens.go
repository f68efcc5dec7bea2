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
	// NameSeries returns the series with these ids, closed ones too. Ids that are not found are left out.
	NameSeries(ctx context.Context, ids []string) ([]model.SeriesName, error)
}

// screenChange is what entered a saved screen and what left it. The series are ids.
type screenChange struct {
	name          string
	entered, left []string
}

// found is what saved screens have in a batch.
type found struct {
	ids   map[string][]string         // of each query; nil for one that can't be asked
	names map[string]model.SeriesName // of series that a letter names, by id
}

func newFound() *found { return &found{map[string][]string{}, map[string]model.SeriesName{}} }

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
		change := s.changed(ids)
		for _, id := range slices.Concat(atMost(change.entered), atMost(change.left)) {
			if _, named := in.names[id]; !named {
				unnamed[id] = true
			}
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(unnamed)), namesAtOnce) {
		names, err := a.config.Screens.NameSeries(ctx, some)
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			a.log.Warn().Err(err).Msg("series of saved screens are told by their ids")
			break
		}
		for _, name := range names {
			for _, id := range name.IDs {
				in.names[id] = name
			}
		}
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

// changed returns how a screen changed that has these series now. One that was looked at for the first time did not.
func (s savedScreen) changed(now []string) screenChange {
	if !s.found.Valid {
		return screenChange{name: s.name}
	}
	before := strings.Fields(s.found.String)
	among := func(ids []string) func(string) bool {
		known := make(map[string]bool, len(ids))
		for _, id := range ids {
			known[id] = true
		}
		return func(id string) bool { return known[id] }
	}
	return screenChange{s.name, slices.DeleteFunc(slices.Clone(now), among(before)),
		slices.DeleteFunc(slices.Clone(before), among(now))}
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
		if change := s.changed(ids); change.count() > 0 {
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
