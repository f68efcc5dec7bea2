package alert

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"cuota/internal/account"
	"cuota/internal/sqlrows"
)

// announceAll mails the events of all batches that are not handled yet, including batches with
// which another process began.
func (a *Alerts) announceAll(ctx context.Context) error {
	type waiting struct{ id, asOf string }
	var batches []waiting
	err := a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		batches, err = sqlrows.All(ctx, tx, statement("unhandled_batches"), func(row *sql.Rows) (w waiting, err error) {
			err = row.Scan(&w.id, &w.asOf)
			return w, err
		})
		return err
	})
	if err != nil {
		return fmt.Errorf("list the batches without sent alerts: %w", err)
	}
	for _, b := range batches {
		if err := a.announce(ctx, b.id, b.asOf); err != nil {
			return fmt.Errorf("batch %s: %w", b.id, err)
		}
	}
	return nil
}

// announce puts one mail into the outbox for each person whom a batch concerns, and then marks
// the batch as handled. If the batch has become old meanwhile, the remaining people get no
// mail.
func (a *Alerts) announce(ctx context.Context, batchID, asOf string) error {
	mails, screens := 0, newFound()
	for after, more := "", !a.isOld(asOf); more; {
		var last string
		var mailed int
		if err := a.screensIn(ctx, screens, batchID, after); err != nil {
			return err
		}
		err := a.store.Transact(ctx, func(ctx context.Context, tx *sql.Tx) error {
			last, mailed, more = after, 0, false
			// Another process may have told all of this batch, and of a later one, since it was listed. Their screens
			// would be compared backwards.
			err := tx.QueryRowContext(ctx, statement("hold_unhandled"), batchID).Scan(new(string))
			if errors.Is(err, sql.ErrNoRows) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("hold the batch: %w", err)
			}
			people, err := sqlrows.Column[string](ctx, tx, statement("concerned"), batchID, after, page)
			if err != nil {
				return fmt.Errorf("list the accounts to alert: %w", err)
			}
			for _, person := range people {
				sent, err := a.tell(ctx, tx, person, batchID, asOf, screens)
				if err != nil {
					return err
				}
				if sent {
					mailed++
				}
				last = person
			}
			more = len(people) == page
			return nil
		})
		if err != nil {
			return err
		}
		after = last
		mails += mailed
	}
	if err := sqlrows.Exec(ctx, a.store, statement("handled_batch"), a.now(), batchID); err != nil {
		return fmt.Errorf("record that its alerts are sent: %w", err)
	}
	if mails > 0 {
		a.log.Info().Str("batch_id", batchID).Int("people", mails).Msg("alerts are in the outbox")
	}
	return nil
}

// tell puts a mail to one person into the outbox, with all events that a batch announces about
// the series that the person watches, and with the changes of the person's screens. sent is false
// if the person has left the list or nothing concerns the person any more.
func (a *Alerts) tell(ctx context.Context, tx *sql.Tx, person, batchID, asOf string,
	screens *found) (sent bool, err error) {
	address, err := hold(ctx, tx, statement("hold_alerts"), person)
	if err != nil || address == "" {
		return false, err
	}
	events, err := sqlrows.All(ctx, tx, statement("events_for"), func(row *sql.Rows) (e event, err error) {
		err = row.Scan(&e.Kind, &e.Current, &e.Date, &e.Fund, &e.RUN, &e.Serie, &e.Before, &e.After, &e.DateBefore)
		return e, err
	}, batchID, person)
	if err != nil {
		return false, fmt.Errorf("read the events of an account: %w", err)
	}
	changes, err := screensOf(ctx, tx, person, screens)
	if err != nil {
		return false, err
	}
	if len(events)+len(changes) == 0 { // the person may have just removed the series from the watchlist
		return false, nil
	}
	news, groups := len(events), []group(nil)
	for _, c := range changes {
		news, groups = news+c.count(), append(groups, c.groups(screens.names)...)
	}
	m := a.alertLetter(events, groups, news, asOf, a.footerFor(person, account.Alerts))
	m.ID, m.To = "alert-"+batchID+"-"+person, address
	if err := a.outbox.Enqueue(ctx, tx, m); err != nil {
		return false, fmt.Errorf("enqueue the mail of an account: %w", err)
	}
	return true, nil
}

// hold returns the address of a person who wants the mails of a list, and locks the person's row
// until the transaction ends. It returns "" if the person no longer wants them. The text
// of the statement belongs to the list.
func hold(ctx context.Context, tx *sql.Tx, text, person string) (address string, err error) {
	err = tx.QueryRowContext(ctx, text, person).Scan(&address)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read whether an account wants mail: %w", err)
	}
	return address, nil
}

// footerFor returns the end of a mail of a list.
func (a *Alerts) footerFor(person string, of account.MailingList) footer {
	page, oneClick := a.config.Unsubscribe(person, of)
	return footer{Site: a.config.Site, Unsubscribe: page, oneClick: oneClick, list: string(of)}
}
