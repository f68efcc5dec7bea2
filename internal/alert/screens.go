package alert

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

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
	ids   map[string][]string         // of each query that can be asked
	names map[string]model.SeriesName // of series that a letter names, by id
}

// screensIn finds the screens of the next people. It is done before the transaction that tells them, because that must
// not wait for another system.
func (a *Alerts) screensIn(ctx context.Context, batchID, after string) (list found, err error) {
	if a.config.Screens == nil {
		return found{}, nil
	}
	var screens []savedScreen
	err = a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		screens, err = sqlrows.All(ctx, tx, statement("screens_of_people"), readScreen, after, page)
		return err
	})
	if err != nil {
		return found{}, fmt.Errorf("list the saved screens: %w", err)
	}
	list = found{map[string][]string{}, map[string]model.SeriesName{}}
	var named []string
	for _, s := range screens {
		ids, there := list.ids[s.query]
		if !there {
			if ids, there, err = a.config.Screens.ScreenSeries(ctx, s.query, batchID); err != nil {
				return found{}, fmt.Errorf("find the series of a saved screen: %w", err)
			}
		}
		if !there {
			continue
		}
		list.ids[s.query] = ids
		change := s.changed(ids)
		named = slices.Concat(named, atMost(change.entered), atMost(change.left))
	}
	if len(named) == 0 {
		return list, nil
	}
	names, err := a.config.Screens.NameSeries(ctx, named)
	if err != nil {
		return found{}, fmt.Errorf("name the series of saved screens: %w", err)
	}
	for _, name := range names {
		for _, id := range name.IDs {
			list.names[id] = name
		}
	}
	return list, nil
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
func screensOf(ctx context.Context, tx *sql.Tx, person, batchID string, now found) (changes []screenChange, err error) {
	list, err := sqlrows.All(ctx, tx, statement("screens_of"), readScreen, person)
	if err != nil {
		return nil, fmt.Errorf("read the saved screens of an account: %w", err)
	}
	for _, s := range list {
		ids, there := now.ids[s.query]
		if !there {
			continue
		}
		if change := s.changed(ids); change.count() > 0 {
			changes = append(changes, change)
		}
		if _, err := tx.ExecContext(ctx, statement("screen_found"), strings.Join(ids, " "), batchID, person, s.name,
			s.query); err != nil {
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
