package door

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/proto"
	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
)

func TestEveryNativeClientIsTheUserPeople(t *testing.T) {
	s := engine(t)
	d := openDoors(t, s, nil)
	for name, auth := range map[string]driver.Auth{
		"no credentials":   {},
		"user default":     {Username: "default"},
		"user people":      {Username: "people"},
		"database default": {Database: "default"},
		"a database":       {Database: "market"},
	} {
		t.Run(name, func(t *testing.T) {
			options := d.overNative()
			options.Auth = auth
			var user, database string
			must(t, open(t, options).QueryRow(t.Context(), "SELECT currentUser(), currentDatabase()").Scan(&user,
				&database))
			if user != people || database != "market" {
				t.Errorf("the engine sees %s on %s", user, database)
			}
		})
	}
}

// The account of this test is the owner of the test's engine.
func TestTheAccountOfADoorIsItsUserWithThePasswordAlone(t *testing.T) {
	s := engine(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	door := NewNative(s.native, []string{"market"},
		Account{User: "owner", Password: s.password, Databases: []string{"secret"}}, zerolog.Nop())
	go func() { _ = door.Serve(listener) }()
	t.Cleanup(door.Close)
	web, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	pages := NewHTTP(s.http, Account{User: "owner", Password: s.password}, zerolog.Nop())
	go func() { _ = pages.Serve(web) }()
	t.Cleanup(pages.Close)
	overHTTP := web.Addr().String()
	as := func(auth driver.Auth) (user string, err error) {
		options := &driver.Options{Addr: []string{listener.Addr().String()}, Auth: auth}
		err = open(t, options).QueryRow(t.Context(), "SELECT currentUser()").Scan(&user)
		return user, err
	}
	for name, c := range map[string]struct {
		auth driver.Auth
		user string
		code int32 // of a refusal
	}{
		"the account in no database": {auth: driver.Auth{Username: "owner", Password: s.password}, user: "owner"},
		"the account": {auth: driver.Auth{Username: "owner", Password: s.password, Database: "secret"},
			user: "owner"},
		"another password": {auth: driver.Auth{Username: "owner", Password: s.password + "x"}, code: 516},
		"no password":      {auth: driver.Auth{Username: "owner"}, code: 516},
		"a database of people only": {auth: driver.Auth{Username: "owner", Password: s.password, Database: "market"},
			code: 81},
		"people":                       {auth: driver.Auth{Username: "people"}, user: "people"},
		"people with the password":     {auth: driver.Auth{Username: "people", Password: s.password}, code: 516},
		"people in the other database": {auth: driver.Auth{Database: "secret"}, code: 81},
	} {
		user, err := as(c.auth)
		if auth := c.auth; auth.Database == "" {
			got := exchange(t, overHTTP, "POST / HTTP/1.1\nHost: localhost\nAuthorization: Basic "+
				base64(auth.Username+":"+auth.Password)+
				"\nContent-Length: 20\nConnection: close\n\nSELECT currentUser()")
			if c.code != 0 && got.code != "516" || c.code == 0 && strings.TrimSpace(got.body) != c.user {
				t.Errorf("%s over HTTP: %d %s %s", name, got.status, got.code, got.body)
			}
		}
		var refused *driver.Exception
		if errors.As(err, &refused) != (c.code != 0) || refused != nil && refused.Code != c.code || user != c.user {
			t.Errorf("%s: the engine sees %q (%v)", name, user, err)
		}
	}
}

func TestNativeClientsThatAreNotPeopleAreRefused(t *testing.T) {
	s := engine(t)
	d := openDoors(t, s, nil)
	user := func(name, password string) []byte {
		return greeting(func(h *proto.ClientHello) { h.User, h.Password = name, password })
	}
	database := func(name string) []byte {
		return greeting(func(h *proto.ClientHello) { h.Database = name })
	}
	revision := func(number int) []byte {
		return greeting(func(h *proto.ClientHello) { h.ProtocolVersion = number })
	}
	overlong := strings.Repeat("x", maxTextBytes+1)
	for name, a := range map[string]struct {
		hello []byte
		code  int // 0 means a hello of the server
	}{
		"nobody":                     {user("", ""), 0},
		"default":                    {user("default", ""), 0},
		"people":                     {user("people", ""), 0},
		"the lowest revision":        {revision(minRevision), 0},
		"the revision of the engine": {revision(54485), 0},
		"a revision of the future":   {revision(1 << 27), 0},
		"owner":                      {user("owner", s.password), 516},
		"owner without a password":   {user("owner", ""), 516},
		"people with a password":     {user("people", "x"), 516},
		"default with a password":    {user("default", s.password), 516},
		"nobody with a password":     {user("", s.password), 516},
		"people in capitals":         {user("PEOPLE", ""), 516},
		"people and a NUL":           {user("people\x00", ""), 516},
		"a space":                    {user(" ", ""), 516},
		"a server":                   {user(" INTERSERVER SECRET ", ""), 516},
		"a server with a secret":     {append(user(" INTERSERVER SECRET ", ""), "\x07cluster\x04salt"...), 516},
		"an SSH key":                 {user(" SSH KEY AUTHENTICATION owner", ""), 516},
		"an SSH key of people":       {user(" SSH KEY AUTHENTICATION people", ""), 516},
		"a token":                    {user(" JWT AUTHENTICATION ", "eyJhbGciOiJub25lIn0.e30."), 516},
		"an unknown database":        {database("nowhere"), 81},
		"a hidden database":          {database("secret"), 81},
		"a database in capitals":     {database("MARKET"), 81},
		"revision 54458":             {revision(54458), 3},
		"revision 50000":             {revision(50000), 3},
		"revision 0":                 {revision(0), 3},
		"a revision below 0":         {revision(-1), 101},
		"a revision of 31 bits":      {revision(1 << 30), 101},
		"an overlong user":           {user(overlong, ""), 101},
		"an overlong password":       {user("", overlong), 101},
		"an overlong database":       {database(overlong), 101},
		"an overlong name":           {greeting(func(h *proto.ClientHello) { h.Name = overlong }), 101},
		"a length of 64 bits":        {[]byte("\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 101},
		"a length that never ends":   {[]byte("\x00" + strings.Repeat("\xff", 100)), 101},
		"a query":                    {[]byte("\x01\x00\x00\x00"), 101},
		"a ping":                     {[]byte("\x04"), 101},
		"an SSH challenge":           {[]byte("\x0b"), 101},
		"HTTP":                       {[]byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), 101},
		"TLS":                        {[]byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), 101},
		"a megabyte of something":    {[]byte(strings.Repeat("garbage ", 1<<17)), 101},
		"a PROXY header":             {[]byte("PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n"), 101},
	} {
		t.Run(name, func(t *testing.T) {
			if got := say(t, d.native, a.hello).code(t); got != a.code {
				t.Errorf("want code %d, got %d", a.code, got)
			}
		})
	}
}

func TestAClientThatLeavesWithinItsHelloIsNotAnswered(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	hello := greeting(func(h *proto.ClientHello) { h.Database = "market" })
	for length := range hello {
		c := say(t, d.native, hello[:length])
		must(t, c.Conn.(*net.TCPConn).CloseWrite())
		if answer, err := io.ReadAll(c.Conn); err != nil || len(answer) > 0 {
			t.Errorf("after %d bytes: %q %v", length, answer, err)
		}
	}
}

func TestABrokenAddendumIsRefused(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	c := say(t, d.native, greeting(nil))
	if code := c.code(t); code != 0 {
		t.Fatal(code)
	}
	_, err := c.Write([]byte("\xff\xff\xff\xff\xff\xff"))
	must(t, err)
	if code := c.code(t); code != 101 {
		t.Errorf("code %d", code)
	}
}

// A native query contains the initial user, its settings and its kind, which a server of a
// cluster would set. currentUser() is the initial user as the client claims it.
// authenticatedUser() is the user whose grants apply.
func TestAForgedNativeQueryRunsWithTheRightsOfPeople(t *testing.T) {
	d := openDoors(t, engine(t), nil)
	const statement, isPeople = "SELECT authenticatedUser()", "\x06people"
	asServer := func(q *proto.Query) {
		q.Info.Query, q.Info.InitialUser, q.Info.QuotaKey = proto.ClientQuerySecondary, "owner", "a"
	}
	writable := func(q *proto.Query) {
		q.Settings = []proto.Setting{{Key: "readonly", Value: "0", Important: true}}
	}
	for name, a := range map[string]struct {
		statement string
		change    func(*proto.Query)
		want      string
	}{
		"a query": {statement, nil, isPeople},
		"an initial user": {statement, func(q *proto.Query) {
			q.Info.InitialUser = "owner"
		}, isPeople},
		"a query of a server": {statement, asServer, isPeople},
		"a query of a server with a secret": {statement, func(q *proto.Query) {
			asServer(q)
			q.Secret = strings.Repeat("x", 32)
		}, isPeople},
		"a server that reads":  {"SELECT * FROM secret.account", asServer, exceptionOf(497)},
		"a server that writes": {"INSERT INTO market.quote SELECT today(), 1", asServer, exceptionOf(497)},
		"a server that sets readonly": {"INSERT INTO market.quote SELECT today(), 1", func(q *proto.Query) {
			asServer(q)
			writable(q)
		}, exceptionOf(497)},
		"readonly as a setting": {statement, writable, exceptionOf(164)},
		"a hidden table":        {"SELECT * FROM secret.account", nil, exceptionOf(497)},
		"DDL":                   {"CREATE TABLE market.a (a Int8) ORDER BY a", nil, exceptionOf(497)},
		"the listeners":         {"SYSTEM STOP LISTEN TCP", nil, exceptionOf(497)},
	} {
		t.Run(name, func(t *testing.T) {
			c := join(t, d.native)
			c.send(t, a.statement, a.change)
			if got := c.until(t, a.want, "\x05owner"); got != a.want {
				t.Errorf("the engine answers %q", got)
			}
		})
	}
}
