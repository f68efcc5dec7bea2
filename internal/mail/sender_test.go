package mail_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cuota/internal/account"
	"cuota/internal/mail"
	"cuota/internal/mail/mailtest"
	"cuota/internal/testkit/waittest"

	"github.com/rs/zerolog"
)

// forgetful is a store in which recording that a message was carried fails while a test tells
// it to.
type forgetful struct {
	*account.Store
	carried *carrier // a transaction after it got a message may be the one that records it
	failing atomic.Bool
	failed  chan struct{} // gets one element for each such transaction that failed
}

// forgetful returns such a store, which fails from the first message on, and an outbox in it.
func (r *rig) forgetful(t testing.TB, carried *carrier) (*forgetful, *mail.Outbox) {
	t.Helper()
	store := &forgetful{Store: r.store, carried: carried, failed: make(chan struct{})}
	store.failing.Store(true)
	outbox, err := mail.NewOutbox(store, r.now)
	must(t, err)
	return store, outbox
}

var errForgetful = errors.New("the disk is full")

func (f *forgetful) Transact(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	f.carried.mu.Lock()
	after := len(f.carried.given) > 0
	f.carried.mu.Unlock()
	if after && f.failing.Load() {
		select {
		case f.failed <- struct{}{}:
		default:
		}
		return errForgetful
	}
	return f.Store.Transact(ctx, do)
}

// Meanwhile the lease may end, and the sender may be stopped and started again.
func TestAMailWhoseNoteFailsIsNotedLaterAndNotSentAgain(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		c := newCarrier()
		store, outbox := r.forgetful(t, c)
		r.enqueue(t, message("a"))
		s := mail.NewSender(outbox, c, zerolog.Nop())
		for _, late := range []time.Duration{0, time.Minute, time.Hour} {
			must(t, s.Start())
			t.Cleanup(func() { must(t, s.Stop(context.Background())) })
			<-store.failed
			r.setClock(noon.Add(late))
			<-store.failed
			must(t, s.Stop(t.Context()))
		}
		store.failing.Store(false)
		r.enqueue(t, message("b"))
		must(t, s.Start())
		r.untilErased(t, 2)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.given["a"] != 1 || c.given["b"] != 1 {
			t.Errorf("they were carried %v times", c.given)
		}
	})
}

func TestAMessageThatCanNotBeCarriedIsTriedAgainLaterEachTime(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		c := newCarrier()
		c.failing.Store(true)
		r.send(t, c)
		r.enqueue(t, message("a"))
		wait := 30 * time.Second
		for attempt := 1; attempt <= 4; attempt++ {
			c.awaits(t)
			due := r.clock.Load().Add(wait)
			r.untilDue(t, attempt, due)
			wait *= 2
			if attempt == 4 {
				c.failing.Store(false)
			}
			r.setClock(due)
		}
		c.awaits(t)
		r.untilErased(t, 1)
	})
}

// recaller is a carrier that records the messages that it must withdraw.
type recaller struct {
	*carrier
	recalled chan string
}

func (r recaller) Recall(id string) error {
	r.recalled <- id
	return nil
}

// The row of a link is deleted when it is recorded, so a missing row does not show who deleted
// it.
func TestAMailRemovedBeforeALateNoteIsTakenBack(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		for _, one := range []struct {
			removed mail.Message
			want    int // number of recalls
		}{{message("news"), 1}, {expiring("link", noon.Add(time.Hour)), 0}} {
			c := recaller{newCarrier(), make(chan string, 10)}
			store, outbox := r.forgetful(t, c.carrier)
			r.enqueue(t, one.removed)
			s := mail.NewSender(outbox, c, zerolog.Nop())
			must(t, s.Start())
			<-store.failed
			_, err := r.raw.ExecContext(t.Context(), "DELETE FROM outbox")
			must(t, err)
			store.failing.Store(false)
			r.enqueue(t, message("last"))
			r.untilErased(t, 1) // the next mail
			must(t, s.Stop(t.Context()))
			close(c.recalled)
			recalls := 0
			for id := range c.recalled {
				if recalls++; id != one.removed.ID {
					t.Errorf("%s was taken back", id)
				}
			}
			if recalls != one.want {
				t.Errorf("%s was taken back %d times, want %d", one.removed.ID, recalls, one.want)
			}
			_, err = r.raw.ExecContext(t.Context(), "DELETE FROM outbox")
			must(t, err)
		}
	})
}

func TestAMailIsNotTriedForEver(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		r.enqueue(t, message("m"))
		_, err := r.raw.ExecContext(t.Context(), "UPDATE outbox SET attempts = 18")
		must(t, err)
		c := newCarrier()
		c.failing.Store(true)
		r.send(t, c)
		c.awaits(t)
		later := noon.Add(6 * time.Hour)
		r.untilDue(t, 19, later)
		r.setClock(later)
		c.awaits(t)
		waittest.Until(t, "it is given up", func() bool {
			return strings.Contains(r.rows(t)[0], " erased attempts=20 ")
		})
		var failure string
		must(t, r.raw.QueryRowContext(t.Context(), "SELECT failure FROM outbox").Scan(&failure))
		if failure != "too many attempts failed" {
			t.Errorf("it failed with %q", failure)
		}
	})
}

func TestMailsThatSomebodyWaitsForGoBeforeThoseOfLists(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		alert := message("alert")
		alert.List = "alerts"
		r.enqueue(t, alert)
		r.setClock(noon.Add(time.Second))
		r.enqueue(t, message("link"))
		c := newCarrier()
		r.send(t, c)
		if first, second := c.awaits(t), c.awaits(t); first != "link" || second != "alert" {
			t.Errorf("%s went before %s", first, second)
		}
	})
}

// A process that lost its lease must not affect the process that has the mail now.
func TestWhoLostItsLeaseChangesNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		var tries atomic.Int64
		stuck, fail := make(chan struct{}), make(chan struct{})
		release := sync.OnceFunc(func() { close(fail) })
		c := carrierFunc(func(context.Context, mail.Message) error {
			if tries.Add(1) == 1 {
				close(stuck)
			}
			<-fail
			return &mail.Refusal{Reason: "no"}
		})
		r.send(t, c)
		r.enqueue(t, message("m"))
		<-stuck
		r.setClock(noon.Add(10 * time.Minute)) // the lease has ended
		second := newCarrier()
		second.failing.Store(true)
		r.send(t, second)
		t.Cleanup(release) // before the senders stop
		second.awaits(t)
		r.untilDue(t, 2, noon.Add(11*time.Minute))
		release()
		r.setClock(noon.Add(11 * time.Minute))
		second.failing.Store(false)
		waittest.Until(t, "it is tried a third time", func() bool {
			return strings.Contains(r.rows(t)[0], "attempts=3")
		})
	})
}

// Two processes share the outbox, and the relay is slow with the first mail. The other process
// does not touch this mail while it may still be carried.
func TestASlowRelayGetsAMailOnceHoweverManyProcessesSend(t *testing.T) {
	eachDatabase(t, func(t *testing.T, r *rig) {
		reading, answer := make(chan struct{}, 10), make(chan struct{})
		release := sync.OnceFunc(func() { close(answer) })
		relay := mailtest.Start(t, mailtest.Script{Data: func(_ net.Conn, l mailtest.Letter) error {
			if l.Subject == "slow" {
				reading <- struct{}{}
				<-answer
			}
			return nil
		}})
		for range 2 {
			r.send(t, overSMTP(t, relay))
		}
		t.Cleanup(release) // before the senders stop
		slow := message("slow")
		slow.Subject = "slow"
		r.enqueue(t, slow)
		<-reading
		r.setClock(noon.Add(2 * time.Minute)) // within the lease
		r.enqueue(t, message("other"))
		if got := relay.Next(t); got.Subject == "slow" {
			t.Error("it was sent again")
		}
		release()
		if got := relay.Next(t); got.Subject != "slow" {
			t.Errorf("%q arrived", got.Subject)
		}
		waittest.Until(t, "both are erased", func() bool {
			return strings.Count(strings.Join(r.rows(t), "\n"), " erased attempts=1 ") == 2
		})
		if more := relay.Waiting(); len(more) > 0 {
			t.Errorf("%d more mails arrived", len(more))
		}
	})
}
