package webhook_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"cuota/internal/account/accounttest"
	"cuota/internal/testkit/tlstest"
	"cuota/internal/webhook"

	"golang.org/x/net/dns/dnsmessage"
)

// resolver returns a resolver whose server gives each host the addresses that answer returns.
func resolver(t *testing.T, answer func(host string) []net.IP) *net.Resolver {
	t.Helper()
	listener, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	served := make(chan struct{})
	t.Cleanup(func() { must(t, listener.Close()); <-served })
	go func() {
		defer close(served)
		packet := make([]byte, 1500)
		for {
			n, from, err := listener.ReadFrom(packet)
			if err != nil {
				return
			}
			var asked dnsmessage.Message
			if asked.Unpack(packet[:n]) != nil || len(asked.Questions) != 1 {
				continue
			}
			question := asked.Questions[0]
			reply := dnsmessage.Message{Header: dnsmessage.Header{ID: asked.ID, Response: true, Authoritative: true},
				Questions: asked.Questions}
			for _, ip := range answer(strings.TrimSuffix(question.Name.String(), ".")) {
				header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
				if four := ip.To4(); four != nil && question.Type == dnsmessage.TypeA {
					reply.Answers = append(reply.Answers,
						dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: [4]byte(four)}})
				} else if four == nil && question.Type == dnsmessage.TypeAAAA {
					reply.Answers = append(reply.Answers,
						dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: [16]byte(ip)}})
				}
			}
			text, err := reply.Pack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = listener.WriteTo(text, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", listener.LocalAddr().String())
	}}
}

// A name that leads to this machine or into a private network is refused when it is dialed. The receiver is there, so a
// message would arrive: one does as soon as the policy allows it.
func TestANameThatLeadsInsideIsNotDialed(t *testing.T) {
	const host = "hooks.test"
	certified := tlstest.For(t, host)
	in := &receiver{got: make(chan arrived, 100)}
	in.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		in.got <- arrived{path: r.URL.Path}
	}))
	in.TLS = certified.Server
	in.StartTLS()
	t.Cleanup(in.Close)
	_, port, err := net.SplitHostPort(in.Listener.Addr().String())
	must(t, err)
	leads := map[string]string{host: "127.0.0.1", "mapped.test": "::ffff:127.0.0.1", "six.test": "::1",
		"private.test": "10.1.2.3", "metadata.test": "169.254.169.254", "shared.test": "100.64.0.1",
		"unique.test": "fd00::1", "embedded.test": "64:ff9b::7f00:1", "zero.test": "0.0.0.0"}
	r := newRig(t, accounttest.SQLite(t))
	r.config.Resolver = resolver(t, func(asked string) []net.IP {
		if to := leads[asked]; to != "" {
			return []net.IP{net.ParseIP(to)}
		}
		return nil
	})
	r.config.Roots, r.config.Private = certified.Roots, false
	r.hooks = r.newHooks(t)
	ana := r.person(t, "ana@example.cl")
	stop := r.send(t)
	for name := range leads {
		id, _ := r.register(t, ana, "https://"+name+":"+port+"/")
		r.test(t, ana, id)
		if d := r.untilTried(t, ana, id, 1); d.Failure != webhook.FailedInternal || d.Status != 0 {
			t.Errorf("%s: %+v", name, d)
		}
		must(t, r.hooks.Remove(t.Context(), ana, id))
	}
	stop()
	if len(in.got) > 0 {
		t.Fatal("a message reached this machine")
	}
	r.config.Private = true
	r.hooks = r.newHooks(t)
	r.send(t)
	id, _ := r.register(t, ana, "https://"+host+":"+port+"/")
	r.test(t, ana, id)
	if d := r.untilTried(t, ana, id, 1); d.Ended != webhook.Delivered {
		t.Errorf("with private addresses allowed: %+v", d)
	}
}

// A name that led outside when the webhook was registered, and leads inside now, is refused too.
func TestAnAddressThatWasTakenBeforeIsCheckedAgain(t *testing.T) {
	r, in, ana, id, _ := receiving(t, accounttest.SQLite(t)) // it was registered while private addresses were allowed
	r.config.Private = false
	r.hooks = r.newHooks(t)
	r.send(t)
	r.test(t, ana, id)
	if d := r.untilTried(t, ana, id, 1); d.Failure != webhook.FailedInternal || len(in.got) > 0 {
		t.Errorf("%+v", d)
	}
}

// On one machine, without https, receivers are programs on that machine.
func TestAServiceOfThisMachineSendsToItsLoopback(t *testing.T) {
	r := newRig(t, accounttest.SQLite(t))
	r.config.Private, r.config.Site = false, "http://127.0.0.1:8080"
	r.hooks = r.newHooks(t)
	got := make(chan string, 1)
	in := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.URL.Path }))
	t.Cleanup(in.Close)
	ana := r.person(t, "ana@example.cl")
	id, _ := r.register(t, ana, in.URL+"/here")
	r.send(t)
	r.test(t, ana, id)
	if path := <-got; path != "/here" {
		t.Errorf("%q", path)
	}
	if d := r.untilTried(t, ana, id, 1); d.Ended != webhook.Delivered {
		t.Errorf("%+v", d)
	}
}
