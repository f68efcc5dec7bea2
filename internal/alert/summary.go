package alert

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"cuota/internal/account"
	"cuota/internal/sqlrows"
)

// summarise mails the summary of the last month that has ended, from the newest batch, unless
// that month is already handled. If several months ended while no process looked, only the last
// one gets a summary. A batch with an old cutoff gives none.
func (a *Alerts) summarise(ctx context.Context, newest batch) error {
	month := newest.ClosedMonth
	if month == "" {
		return nil
	}
	wanted, old := false, a.isOld(newest.AsOf)
	err := a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var known string
		var handled bool
		err := tx.QueryRowContext(ctx, statement("newest_month")).Scan(&known, &handled)
		first := errors.Is(err, sql.ErrNoRows)
		if err != nil && !first {
			return err
		}
		now, handledAt := a.now(), (*int64)(nil)
		switch {
		case month == known && !handled && old: // interrupted long ago
			_, err := tx.ExecContext(ctx, statement("handled_month"), now, month)
			return err
		case month <= known: // ISO dates sort as texts
			wanted = month == known && !handled
			return nil
		case first, old: // the first known month ended before the first look
			handledAt = &now
		default:
			wanted = true
		}
		_, err = tx.ExecContext(ctx, statement("know_month"), month, now, handledAt)
		return err
	})
	if err != nil || !wanted {
		return err
	}
	mails := 0
	for after, more := "", true; more; {
		people, err := a.watchlists(ctx, after)
		if err != nil {
			return err
		}
		standings, readable, err := a.reader.standings(ctx, newest, watched(people))
		if err != nil {
			return err
		}
		if !readable {
			return errRetired // the next look uses a newer batch
		}
		sent, err := a.summariseFor(ctx, people, standings, month)
		if err != nil {
			return err
		}
		mails += sent
		if more = len(people) == page; more {
			after = people[len(people)-1].person
		}
	}
	if err := sqlrows.Exec(ctx, a.store, statement("handled_month"), a.now(), month); err != nil {
		return fmt.Errorf("record that the summary of %s is sent: %w", month, err)
	}
	a.log.Info().Str("month", month).Int("people", mails).Msg("monthly summaries are in the outbox")
	return nil
}

// watchlist is the list of series that one person watches, in the person's order.
type watchlist struct {
	person string
	series []string
}

// watchlists reads the watchlists of the next people who want the summary, by person id after
// the given one.
func (a *Alerts) watchlists(ctx context.Context, after string) (people []watchlist, err error) {
	err = a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		type entry struct{ person, series string }
		entries, err := sqlrows.All(ctx, tx, statement("summary_watchlists"), func(row *sql.Rows) (e entry, err error) {
			err = row.Scan(&e.person, &e.series)
			return e, err
		}, after, page)
		if err != nil {
			return fmt.Errorf("read the watchlists: %w", err)
		}
		people = nil
		for _, e := range entries {
			if len(people) == 0 || people[len(people)-1].person != e.person {
				people = append(people, watchlist{person: e.person})
			}
			last := &people[len(people)-1]
			last.series = append(last.series, e.series)
		}
		return nil
	})
	return people, err
}

// watched lists the ids of all series on the watchlists, each once.
func watched(people []watchlist) []string {
	var ids []string
	for _, p := range people {
		ids = append(ids, p.series...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// summariseFor puts the summaries of some people into the outbox and returns how many. A person
// gets none if no watched series has a summary.
func (a *Alerts) summariseFor(ctx context.Context, people []watchlist, standings map[string]standing,
	month string) (sent int, err error) {
	err = a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
		sent = 0
		for _, p := range people {
			var own []standing
			listed := map[string]bool{}
			for _, id := range p.series {
				if one, there := standings[id]; there && !listed[one.Current] {
					listed[one.Current] = true
					own = append(own, one)
				}
			}
			if len(own) == 0 {
				continue
			}
			address, err := hold(ctx, tx, statement("hold_summary"), p.person)
			if err != nil {
				return err
			}
			if address == "" {
				continue
			}
			m := a.summaryLetter(own, month, a.footerFor(p.person, account.MonthlySummary))
			m.ID, m.To = "summary-"+month+"-"+p.person, address
			if err := a.outbox.Enqueue(ctx, tx, m); err != nil {
				return fmt.Errorf("enqueue the mail of an account: %w", err)
			}
			sent++
		}
		return nil
	})
	return sent, err
}
