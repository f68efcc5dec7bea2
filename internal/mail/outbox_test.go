package mail_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cuota/internal/mail"
	"cuota/internal/testkit/waittest"

	"github.com/rs/zerolog"
)

func TestAMessageOfOneIDIsCarriedOnceByHoweverManySenders(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		c := newCarrier()
		for range 3 {
			r.send(t, c)
		}
		const messages = 40
		for i := range messages {
			r.enqueue(t, message(fmt.Sprintf("m-%d", i)), message(fmt.Sprintf("m-%d", i)))
		}
		for range messages {
			c.awaits(t)
		}
		r.untilErased(t, messages)
		r.enqueue(t, message("m-0"), message("last"))
		if got := c.awaits(t); got != "last" {
			t.Errorf("%s was carried again", got)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for id, times := range c.given {
			if times != 1 {
				t.Errorf("%s was carried %d times", id, times)
			}
		}
	})
}

func TestAMessageIsEnqueuedWithItsCauseOrNotAtAll(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		broken := errors.New("the cause failed")
		err := r.store.Transact(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			must(t, r.outbox.Enqueue(t.Context(), tx, message("a")))
			return broken
		})
		if !errors.Is(err, broken) || len(r.rows(t)) != 0 {
			t.Errorf("%v, and %d messages wait", err, len(r.rows(t)))
		}
	})
}

func TestWhatAWaitingMessageSaysCanNotBeReadInTheDatabase(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		r.enqueue(t, message("a"), message("b"))
		rows := r.rows(t)
		text := strings.Join(rows, "\n")
		// Each text is longer than encrypted text contains by chance, or has other characters.
		for _, said := range []string{"s3cret", "ana@", "Hola: ", "x?token", "http:",
			base64.StdEncoding.EncodeToString([]byte("Hola: http"))[:12]} {
			if strings.Contains(text, said) {
				t.Errorf("%q can be read: %s", said, text)
			}
		}
		if len(rows) != 2 || !strings.HasPrefix(rows[0], "a ") {
			t.Fatalf("the check sees nothing: %q", rows)
		}
		// An encrypted message that is moved to another row can't be decrypted.
		_, err := r.raw.ExecContext(t.Context(),
			"UPDATE outbox SET sealed = (SELECT sealed FROM outbox WHERE id = 'a') WHERE id = 'b'")
		must(t, err)
		c := newCarrier()
		r.send(t, c)
		if got := c.awaits(t); got != "a" {
			t.Errorf("%s was carried", got)
		}
		waittest.Until(t, "the other was tried", func() bool { return strings.Contains(r.rows(t)[1], "attempts=1") })
		if got := r.rows(t)[1]; strings.Contains(got, "erased") {
			t.Errorf("a message that is none was carried: %s", got)
		}
	})
}

func TestAMailThatExpiresLeavesNothingOnceItIsDoneWith(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		in15 := noon.Add(15 * time.Minute)
		r.enqueue(t, expiring("carried", in15), expiring("late", noon.Add(20*time.Second)), expiring("over", noon),
			expiring("refused", in15), message("stays"))
		given := make(chan string, 10)
		r.send(t, carrierFunc(func(_ context.Context, m mail.Message) error {
			given <- m.ID
			switch m.ID {
			case "late": // the next attempt would be after the expiry
				return errors.New("no route")
			case "refused":
				return &mail.Refusal{Reason: "no"}
			}
			return nil
		}))
		waittest.Until(t, "what stays is erased", func() bool {
			rows := r.rows(t)
			return len(rows) == 1 && strings.HasPrefix(rows[0], "stays ") &&
				strings.Contains(rows[0], " erased attempts=1 ")
		})
		close(given)
		for id := range given {
			if id == "over" {
				t.Error("a mail was sent when it had expired")
			}
		}
	})
}

// No message is due again before it has expired, whichever process took it last.
func TestALinkIsNotSentOnTheDayThatACarrierIsThere(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		r.send(t, nil) // without a carrier, only old messages are removed
		r.enqueue(t, expiring("link", noon.Add(15*time.Minute)), message("alert"))
		r.setClock(noon.Add(15 * time.Minute))
		waittest.Until(t, "the link goes", func() bool { return r.ids(t) == "alert" })
		// Between two sweeps it is not taken either.
		c := newCarrier()
		r.send(t, c)
		if got := c.awaits(t); got != "alert" {
			t.Fatalf("%s was carried", got)
		}
		r.enqueue(t, expiring("over", noon.Add(15*time.Minute)), message("other"))
		if got := c.awaits(t); got != "other" {
			t.Errorf("%s was carried", got)
		}
	})
}

func TestMailsOfThePastAreForgotten(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		const day = 24 * time.Hour
		c := newCarrier()
		s := mail.NewSender(r.outbox, c, zerolog.Nop())
		must(t, s.Start())
		r.enqueue(t, message("carried"))
		c.awaits(t)
		r.untilErased(t, 1)
		must(t, s.Stop(t.Context()))
		r.enqueue(t, message("waiting"))
		r.setClock(noon.Add(31 * day))
		r.enqueue(t, message("young"))
		r.send(t, c)
		if got := c.awaits(t); got != "young" {
			t.Errorf("%s was sent a month later", got)
		}
		r.untilErased(t, 3)
		r.setClock(noon.Add(180*day - time.Hour))
		r.enqueue(t, message("carried"), message("waiting"), message("last"))
		if got := c.awaits(t); got != "last" {
			t.Errorf("%s was sent again", got)
		}
		r.setClock(noon.Add(180 * day))
		waittest.Until(t, "the ids go", func() bool { return r.ids(t) == "last young" })
	})
}
