package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/rs/zerolog"

	"cuota/cmd/cuota/admin"
	"cuota/cmd/cuota/agents"
	"cuota/cmd/cuota/environment"
	"cuota/cmd/cuota/exit"
	"cuota/cmd/cuota/firststart"
	"cuota/internal/account"
	"cuota/internal/account/area"
	"cuota/internal/agent"
	"cuota/internal/alert"
	"cuota/internal/health"
	"cuota/internal/httpapi"
	"cuota/internal/mail"
	"cuota/internal/notary"
	"cuota/internal/site/marketpages"
	"cuota/internal/traces"
	"cuota/internal/webhook"
	"cuota/query"
	"cuota/sql"
)

// serving is the API and, beside it, the account area, the alerts and webhooks about published
// batches, and the sender of mails.
type serving struct {
	server *query.Server
	leases *account.Leases
	sender *mail.Sender
	outbox *mail.Outbox
	alerts *alert.Alerts // nil: there is no account area and so nobody to alert
	hooks  *webhook.Hooks
	// announcer and poster tell webhooks of batches; nil if alerts is.
	announcer *webhook.Announcer
	poster    *webhook.Sender
	watch     *admin.AccountsWatch
	mails     string // where mails go, as a text for people
	// answering is how long requests under way may take after stop was called.
	answering time.Duration
}

// offer holds what is to be served, and where.
type offer struct {
	at      net.Listener   // listener, which serving takes over
	mails   string         // folder for mails of a service on this machine without a relay; "": none
	http    *sql.HTTP      // streams rows in formats of ClickHouse; nil: none are
	files   string         // directory of the files of /api/bulk; "": none are made
	log     string         // directory of the log of published batches; "": none is served
	returns []string       // kinds of returns besides price returns in accounting currency
	tools   agents.Serving // for language models
	spans   *traces.Traces // of requests and statements; nil: none
	admin   *admin.Server  // receives the metrics of requests and the health of the API
	// progress says how far the first start is, until its batch is answered from. It is nil
	// where there is no first start, and it may be called at any time.
	progress func() []firststart.Step
}

// newServing connects what is served at the offer's listener. It answers nothing before
// start. Mails go to the relay in the settings. Without a relay they are written into
// the offer's folder if only this machine can open the base address; else they wait in the
// outbox.
func newServing(s environment.Settings, o offer, conn driver.Conn, accounts *account.Store,
	log zerolog.Logger) (*serving, error) {
	v := &serving{leases: account.NewLeases(accounts), answering: exit.AnswerPatience,
		watch: admin.NewAccountsWatch(accounts)}
	base := cmp.Or(s.BaseURL, baseOnThisMachine(o.at.Addr()))
	if s.Proxies.None && environment.OverTLS(s.BaseURL) && baseOnThisMachine(o.at.Addr()) != "" {
		log.Warn().Msg("CUOTA_TRUSTED_PROXIES is none, but only this machine can reach the listener: if a proxy on " +
			"this machine forwards requests, all clients share its address and its limits")
	}
	outbox, err := mail.NewOutbox(accounts, time.Now)
	if err != nil {
		return nil, err
	}
	v.outbox = outbox
	carrier, err := newCarrier(s, base, o.mails, log)
	if err != nil {
		return nil, err
	}
	v.sender = mail.NewSender(outbox, carrier, log)
	delivery := area.MailsWaiting
	v.mails = "kept in the outbox: set CUOTA_SMTP"
	switch {
	case s.SMTP != "":
		delivery, v.mails = area.MailsSent, "over SMTP"
	case carrier != nil:
		delivery, v.mails = area.MailsInFiles, o.mails
	case area.IsOnThisMachine(base):
		log.Warn().Msg("mails wait in the outbox: set CUOTA_SMTP to have them sent, or CUOTA_MAIL_DIR to have them " +
			"written as files")
	default:
		log.Warn().Msg("mails wait in the outbox: set CUOTA_SMTP to have them sent; mails are written to files only " +
			"while the base address is a loopback address")
	}
	// The folder may hold mails from earlier, even if mails now go to a relay.
	var files area.MailFiles
	if o.mails != "" {
		folder, err := mail.NewFolder(o.mails, s.MailFrom, log)
		if err != nil {
			return nil, err
		}
		if err := folder.Sweep(); err != nil {
			log.Warn().Err(err).Msg("temporary files of mails could not be removed; the next start tries again")
		}
		files = folder
	}
	served, err := v.toolsArea(s, o.tools)
	if err != nil {
		return nil, err
	}
	v.hooks, err = webhook.New(webhook.Config{Site: base, Private: s.WebhooksPrivate, Now: s.Now}, accounts)
	if err != nil {
		return nil, err
	}
	series := &seriesLookup{}
	accountArea, err := area.New(area.Config{
		BaseURL: base, Origins: s.Origins, Mails: delivery, MailFiles: files,
		Google: area.Google{Issuer: s.GoogleIssuer, ClientID: s.GoogleClient, ClientSecret: s.GoogleSecret},
	}, accounts, outbox, v.hooks, series, log)
	config := query.Config{Returns: o.returns, ClickHouse: o.http, BulkDir: o.files, Parts: o.admin.Beside,
		Accounts: v.watch.Ready, HTTP: httpapi.Config{
			Listener: o.at, BaseURL: s.BaseURL, TrustedProxies: s.Proxies.Networks, Meter: o.admin.Metrics.Requests(),
			Links: accounts, Tracer: o.spans.Tracer(),
		}}
	switch {
	case errors.Is(err, area.ErrBaseURL):
		log.Warn().Err(err).Msg("serving without the account area: set CUOTA_BASE_URL to the https address of the " +
			"service, or listen on a loopback address")
	case err != nil:
		return nil, err
	default:
		served = append(served, accountArea)
		v.alerts, err = alert.New(alert.Config{Site: base, Now: s.Now, Screens: series,
			Unsubscribe: func(person string, list account.MailingList) (page, oneClick string) {
				token := accounts.UnsubscribeToken(person, list)
				return area.UnsubscribeURL(base, token), area.OneClickURL(base, token)
			}}, conn, accounts, outbox, log)
		if err != nil {
			return nil, err
		}
		v.announcer, v.poster = webhook.NewAnnouncer(v.hooks, conn, log), webhook.NewSender(v.hooks, log)
	}
	if o.log != "" {
		served = append(served, notary.NewHandler(o.log))
	}
	if len(served) > 0 {
		config.HTTP.Area = served
	}
	config.Pages = o.pages(base, v.hasAccounts())
	v.server, err = query.New(config, conn, v.leases, log)
	if err != nil {
		return nil, err
	}
	series.Server = v.server
	o.admin.Add(v.server.Part(), true)
	o.admin.Add(health.Part{Name: admin.AccountsPart, Alive: v.watch.Alive, Ready: v.watch.Ready}, true)
	o.admin.MeasureServing(v.server, v.leases, v.poster)
	return v, nil
}

// toolsArea returns the tools for language models, which ask the API of this server with the key of their caller. It
// is empty if they are not served.
func (v *serving) toolsArea(s environment.Settings, tools agents.Serving) (areas, error) {
	door, err := tools.Door()
	if err != nil || !tools.On {
		return nil, err
	}
	handler, err := agent.NewHandler(agent.HandlerConfig{Config: agent.Config{Version: programVersion(), Door: door},
		BaseURL: s.BaseURL, API: func() http.Handler { return v.server.Handler() }})
	return areas{handler}, err
}

// newCarrier returns what delivers the mails of the service at the base address, or nil
// if nothing does. Whoever reads a sign-in link can sign in. So mails are written into
// files and the log only for a service on one machine, where the people who can read
// them are those who use the service.
func newCarrier(s environment.Settings, base, folder string, log zerolog.Logger) (mail.Carrier, error) {
	switch {
	case s.SMTP != "" && s.MailFrom == environment.NoSender:
		return nil, errors.New("CUOTA_SMTP: set CUOTA_MAIL_FROM too, to an address that the relay accepts as sender")
	case s.SMTP != "":
		relay, err := mail.NewSMTP(s.SMTP, s.MailFrom, nil)
		if err != nil {
			return nil, fmt.Errorf("CUOTA_SMTP: %w", err)
		}
		return relay, nil
	case folder != "" && area.IsOnThisMachine(base):
		return mail.NewFolder(folder, s.MailFrom, log)
	}
	return nil, nil
}

// baseOnThisMachine is the base address, when the settings name none, of a service that
// only this machine can reach. It is empty if others can reach the listener: over http,
// anybody on the network could read links and sessions.
func baseOnThisMachine(at net.Addr) string {
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsLoopback() {
		return "http://" + at.String()
	}
	return ""
}

// hasAccounts reports whether the account area is served.
func (v *serving) hasAccounts() bool { return v.alerts != nil }

func (v *serving) start(ctx context.Context) error {
	v.leases.Start()
	if err := v.watch.Start(); err != nil {
		return errors.Join(err, v.stop(ctx))
	}
	if err := v.sender.Start(); err != nil {
		return errors.Join(err, v.stop(ctx))
	}
	if v.alerts != nil {
		if err := errors.Join(v.alerts.Start(), v.announcer.Start(), v.poster.Start()); err != nil {
			return errors.Join(err, v.stop(ctx))
		}
	}
	if err := v.server.Start(ctx); err != nil {
		return errors.Join(err, v.stop(ctx))
	}
	return nil
}

// stop stops the server, the alerts and the webhooks first and the sender of mails last, so that it
// still sends their last mails. After the server has stopped, unspent requests are
// returned to their keys. Each component has its own time limit, so a client that reads
// its reply slowly delays nobody else, and is disconnected at the end.
func (v *serving) stop(ctx context.Context) error {
	err := errors.Join(exit.ShutDown(ctx, v.answering, v.server.Stop),
		exit.ShutDown(ctx, exit.StopPatience, v.watch.Stop))
	if v.alerts != nil {
		err = errors.Join(err, exit.ShutDown(ctx, exit.StopPatience, v.alerts.Stop),
			exit.ShutDown(ctx, exit.StopPatience, v.announcer.Stop),
			exit.ShutDown(ctx, exit.StopPatience, v.poster.Stop))
	}
	err = errors.Join(err, exit.ShutDown(ctx, exit.StopPatience, v.sender.Stop))
	return errors.Join(err, exit.ShutDown(ctx, exit.StopPatience, v.leases.Stop))
}

// seriesLookup lets the account area look up series in the API server, which is made after
// the account area. It keeps the two packages from importing each other.
type seriesLookup struct{ *query.Server }

// errNoBatch says that no batch is served.
var errNoBatch = errors.New("no batch is served")

// TakesScreen implements area.Series.
func (s *seriesLookup) TakesScreen(ctx context.Context, query string) (bool, error) {
	b := s.PageBatch()
	if b == nil {
		return false, errNoBatch
	}
	return marketpages.TakesScreen(ctx, b, query)
}

// ScreenSeries implements alert.Screens: it finds what the page of the screener shows for a saved screen.
func (s *seriesLookup) ScreenSeries(ctx context.Context, query, batchID string) ([]string, bool, error) {
	b := s.PageBatch()
	if b == nil {
		return nil, false, nil
	}
	return marketpages.ScreenSeries(ctx, b, query, batchID)
}
