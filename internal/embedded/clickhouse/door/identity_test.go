package door

import (
	"crypto/rand"
	encoding "encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/proto"
	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/rs/zerolog"
)

func TestEveryHTTPClientIsTheUserPeople(t *testing.T) {
	s := engine(t)
	d := openDoors(t, s, nil)
	const statement = "SELECT currentUser()"
	ownerBasic := "Authorization: Basic " + base64(fmt.Sprintf("owner:%s", s.password))
	emptyBasic := "Authorization: Basic " + base64("default:")
	key := s.password

	for name, a := range map[string]struct {
		line    string   // request line; the default is POST / HTTP/1.1
		headers []string // headers in addition to Host, unless one of them is Host
		body    string   // the default is the statement
		want    string   // "people", or the HTTP status and ClickHouse's code
	}{
		"no credentials":               {want: "people"},
		"statement in the address":     {line: "GET /?query=SELECT+currentUser() HTTP/1.1", want: "people"},
		"semicolon in the address":     {line: "GET /?query=SELECT+currentUser(); HTTP/1.1", want: "people"},
		"user default":                 {line: "POST /?user=default HTTP/1.1", want: "people"},
		"user people":                  {line: "POST /?user=people&password= HTTP/1.1", want: "people"},
		"user default in a header":     {headers: []string{"X-ClickHouse-User: default"}, want: "people"},
		"header user and an empty key": {headers: []string{"X-ClickHouse-User: people", "X-ClickHouse-Key:"}, want: "people"},
		"Basic of default":             {headers: []string{emptyBasic}, want: "people"},
		"Basic and header together":    {headers: []string{emptyBasic, "X-ClickHouse-User: default"}, want: "people"},
		"Basic of nobody":              {headers: []string{"Authorization: Basic " + base64(":")}, want: "people"},

		"owner as a parameter":                {line: "POST /?user=owner&password=" + key + " HTTP/1.1", want: "403 516"},
		"owner without a password":            {line: "POST /?user=owner HTTP/1.1", want: "403 516"},
		"a password alone":                    {line: "POST /?password=" + key + " HTTP/1.1", want: "403 516"},
		"percent-encoded name of a parameter": {line: "POST /?%75ser=owner&p%61ssword=" + key + " HTTP/1.1", want: "403 516"},
		"name of a parameter in capitals":     {line: "POST /?USER=owner&Password=" + key + " HTTP/1.1", want: "403 516"},
		"user twice, people first":            {line: "POST /?user=people&user=owner HTTP/1.1", want: "403 516"},
		"user twice, owner first":             {line: "POST /?user=owner&user=people HTTP/1.1", want: "403 516"},
		"user in two spellings":               {line: "POST /?user=people&User=owner HTTP/1.1", want: "403 516"},
		"user with a space":                   {line: "POST /?user=default%20 HTTP/1.1", want: "403 516"},
		"user in capitals":                    {line: "POST /?user=PEOPLE HTTP/1.1", want: "403 516"},
		"user with a NUL":                     {line: "POST /?user=people%00 HTTP/1.1", want: "403 516"},
		"owner in headers":                    {headers: []string{"X-ClickHouse-User: owner", "X-ClickHouse-Key: " + key}, want: "403 516"},
		"owner in lower-case headers":         {headers: []string{"x-clickhouse-user: owner", "x-clickhouse-key: " + key}, want: "403 516"},
		"a key alone":                         {headers: []string{"X-ClickHouse-Key: " + key}, want: "403 516"},
		"header twice, people first":          {headers: []string{"X-ClickHouse-User: people", "X-ClickHouse-User: owner", "X-ClickHouse-Key: " + key}, want: "403 516"},
		"key twice, the empty one first":      {headers: []string{"X-ClickHouse-Key:", "X-ClickHouse-Key: " + key}, want: "403 516"},
		"owner by Basic":                      {headers: []string{ownerBasic}, want: "403 516"},
		"Basic twice":                         {headers: []string{emptyBasic, ownerBasic}, want: "403 516"},
		"owner by Basic, people by a header":  {headers: []string{ownerBasic, "X-ClickHouse-User: people"}, want: "403 516"},
		"Bearer":                              {headers: []string{"Authorization: Bearer eyJhbGciOiJub25lIn0.e30."}, want: "403 516"},
		"Basic that is no base64":             {headers: []string{"Authorization: Basic !"}, want: "403 516"},
		"the useless user default by a header, with a password": {headers: []string{"X-ClickHouse-User: default", "X-ClickHouse-Key: x"}, want: "403 516"},

		"a certificate":                 {headers: []string{"X-ClickHouse-SSL-Certificate-Auth: on", "X-ClickHouse-User: default"}, want: "people"},
		"a token":                       {headers: []string{"X-ClickHouse-JWT-Token: eyJhbGciOiJub25lIn0.e30."}, want: "people"},
		"a role":                        {line: "POST /?role=owner&role=default HTTP/1.1", want: "people"},
		"a quota key":                   {line: "POST /?quota_key=a HTTP/1.1", headers: []string{"X-ClickHouse-Quota: b"}, want: "people"},
		"headers as parameters":         {line: "POST /?X-ClickHouse-User=owner&x-clickhouse-key=" + key + " HTTP/1.1", want: "people"},
		"cookies":                       {headers: []string{"Cookie: user=owner; password=" + key}, want: "people"},
		"headers of proxies":            {headers: []string{"X-Forwarded-For: ::1", "Forwarded: for=[::1]", "Via: 1.1 a", "Referer: http://owner:" + key + "@localhost/"}, want: "people"},
		"user kept by Connection":       {headers: []string{"Connection: keep-alive, X-ClickHouse-User", "X-ClickHouse-User: default"}, want: "people"},
		"an upgrade":                    {headers: []string{"Connection: Upgrade", "Upgrade: websocket"}, want: "people"},
		"a proxy's credentials":         {headers: []string{"Proxy-Authorization: Basic " + base64("owner:"+key)}, want: "people"},
		"credentials in the address":    {line: "POST http://owner:" + key + "@localhost/ HTTP/1.1", want: "people"},
		"a trailer":                     {headers: []string{"Transfer-Encoding: chunked", "Trailer: X-ClickHouse-User"}, body: "14\n" + statement + "\n0\nX-ClickHouse-User: owner\n\n", want: "people"},
		"credentials in a form":         {headers: []string{"Content-Type: application/x-www-form-urlencoded"}, body: statement + " -- &user=owner&password=" + key, want: "people"},
		"credentials in a form's parts": {line: "POST /?query=SELECT+currentUser() HTTP/1.1", headers: []string{"Content-Type: multipart/form-data; boundary=b"}, body: form("user", "owner", "password", key, "role", "owner", "quota_key", "a"), want: "people"},
		"the statement twice":           {line: "GET /?query=SELECT+currentUser()&query=SELECT+1 HTTP/1.1", want: "people"},
		"database default":              {line: "POST /?database=default HTTP/1.1", body: "SELECT currentUser() WHERE currentDatabase() = 'market'", want: "people"},
		"database default in a header":  {headers: []string{"X-ClickHouse-Database: default"}, body: "SELECT currentUser() WHERE currentDatabase() = 'market'", want: "people"},
		"a session":                     {line: "POST /?session_id=a&session_timeout=10 HTTP/1.1", want: "people"},

		"another user by EXECUTE AS":  {body: "EXECUTE AS owner SELECT currentUser()", want: "500 344"},
		"another role by a statement": {body: "SET ROLE ALL EXCEPT owner", want: "404 511"},
		"readonly in the address":     {line: "POST /?readonly=0 HTTP/1.1", want: "500 164"},
		"readonly in the statement":   {body: statement + " SETTINGS readonly = 0", want: "500 164"},
		"a profile":                   {line: "POST /?profile=default HTTP/1.1", body: statement + " WHERE getSetting('readonly') = 1 AND getSetting('max_memory_usage') = 500000000", want: "people"},
		"a hidden database":           {line: "POST /?database=secret HTTP/1.1", body: "SELECT * FROM account", want: "500 497"},
		"an unknown database":         {line: "POST /?database=nowhere HTTP/1.1", want: "404 81"},

		"a host name of the web":                   {headers: []string{"Host: evil.example"}, want: "403 497"},
		"a host name that begins with localhost":   {headers: []string{"Host: localhost.evil.example"}, want: "403 497"},
		"an address of the network":                {headers: []string{"Host: 192.0.2.1:8123"}, want: "403 497"},
		"a host name in the address":               {line: "POST http://evil.example/ HTTP/1.1", want: "403 497"},
		"no host name":                             {line: "POST / HTTP/1.0", headers: []string{"Host:"}, want: "403 497"},
		"localhost":                                {headers: []string{"Host: LOCALHOST.:8123"}, want: "people"},
		"loopback of version 6":                    {headers: []string{"Host: [::1]:8123"}, want: "people"},
		"a page of the web":                        {headers: []string{"Origin: https://evil.example"}, want: "403 497"},
		"a page of the web named as localhost":     {headers: []string{"Origin: https://localhost.evil.example"}, want: "403 497"},
		"a page without an origin":                 {headers: []string{"Origin: null"}, want: "403 497"},
		"a local page and one of the web":          {headers: []string{"Origin: http://localhost", "Origin: https://evil.example"}, want: "403 497"},
		"a local page":                             {headers: []string{"Origin: http://localhost:3000"}, want: "people"},
		"the page /play":                           {line: "GET /play HTTP/1.1", want: "404 60"},
		"the page /dashboard":                      {line: "GET /dashboard HTTP/1.1", want: "404 60"},
		"the page /binary":                         {line: "GET /binary HTTP/1.1", want: "404 60"},
		"the page /merges":                         {line: "GET /merges HTTP/1.1", want: "404 60"},
		"the page /replicas_status":                {line: "GET /replicas_status HTTP/1.1", want: "404 60"},
		"a page that is encoded":                   {line: "GET /%70lay HTTP/1.1", want: "404 60"},
		"a page behind a slash":                    {line: "GET //play HTTP/1.1", want: "404 60"},
		"a page beside /ping":                      {line: "GET /ping/../play HTTP/1.1", want: "404 60"},
		"a method that ClickHouse does not answer": {line: "PUT / HTTP/1.1", want: "405 48"},
		"a query that is not encoded":              {line: "POST /?query=%zz HTTP/1.1", want: "400 36"},
		"a body beyond the limit":                  {body: strings.Repeat(" ", maxBodyBytes) + statement, want: "413 290"},
	} {
		t.Run(name, func(t *testing.T) {
			if a.line == "" {
				a.line = "POST / HTTP/1.1"
			}
			if !slices.ContainsFunc(a.headers, func(h string) bool { return strings.HasPrefix(h, "Host:") }) {
				a.headers = append(a.headers, "Host: "+d.http)
			}
			if a.body == "" && strings.HasPrefix(a.line, "POST") {
				a.body = statement
			}
			if !slices.Contains(a.headers, "Transfer-Encoding: chunked") {
				a.headers = append(a.headers, "Content-Length: "+strconv.Itoa(len(strings.ReplaceAll(a.body, "\n", "\r\n"))))
			}
			if !slices.ContainsFunc(a.headers, func(h string) bool { return strings.HasPrefix(h, "Connection:") }) {
				a.headers = append(a.headers, "Connection: close")
			}
			got := exchange(t, d.http, a.line+"\n"+strings.Join(a.headers, "\n")+"\n\n"+a.body)
			switch {
			case a.want == "people":
				if got.status != 200 || got.body != "people\n" {
					t.Errorf("the engine answers %d %q", got.status, got.body)
				}
			case strings.TrimSpace(fmt.Sprint(got.status, " ", got.code)) != a.want:
				t.Errorf("want %s, got %d %s %q", a.want, got.status, got.code, got.body)
			case got.code != "" && !strings.HasPrefix(got.body, "Code: "+got.code+". DB::Exception: "):
				t.Errorf("the body does not have ClickHouse's form: %q", got.body)
			}
			if strings.Contains(got.body, key) {
				t.Errorf("the password is repeated: %q", got.body)
			}
		})
	}
}

func TestPeopleCannotJoinASessionOfTheOwner(t *testing.T) {
	s := engine(t)
	d := openDoors(t, s, nil)
	session := rand.Text() // ClickHouse keeps the session of an earlier run of this test for a minute
	made := exchange(t, s.http, "POST /?session_id="+session+"&user=owner&password="+s.password+" HTTP/1.0\nContent-Length: 39\n\nCREATE TEMPORARY TABLE mine AS SELECT 1")
	if made.status != 200 {
		t.Fatal(made.body)
	}
	got := exchange(t, d.http, "GET /?session_id="+session+"&query=SELECT+*+FROM+mine HTTP/1.0\nHost: localhost\n\n")
	if got.code != "60" {
		t.Errorf("people are answered %d %q", got.status, got.body)
	}
}

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
			must(t, open(t, options).QueryRow(t.Context(), "SELECT currentUser(), currentDatabase()").Scan(&user, &database))
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
	door := NewNative(s.native, []string{"market"}, Account{User: "owner", Password: s.password, Databases: []string{"secret"}}, zerolog.Nop())
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
		"the account in no database":   {auth: driver.Auth{Username: "owner", Password: s.password}, user: "owner"},
		"the account":                  {auth: driver.Auth{Username: "owner", Password: s.password, Database: "secret"}, user: "owner"},
		"another password":             {auth: driver.Auth{Username: "owner", Password: s.password + "x"}, code: 516},
		"no password":                  {auth: driver.Auth{Username: "owner"}, code: 516},
		"a database of people only":    {auth: driver.Auth{Username: "owner", Password: s.password, Database: "market"}, code: 81},
		"people":                       {auth: driver.Auth{Username: "people"}, user: "people"},
		"people with the password":     {auth: driver.Auth{Username: "people", Password: s.password}, code: 516},
		"people in the other database": {auth: driver.Auth{Database: "secret"}, code: 81},
	} {
		user, err := as(c.auth)
		if auth := c.auth; auth.Database == "" {
			got := exchange(t, overHTTP, "POST / HTTP/1.1\nHost: localhost\nAuthorization: Basic "+base64(auth.Username+":"+auth.Password)+"\nContent-Length: 20\nConnection: close\n\nSELECT currentUser()")
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
		"a query":                           {statement, nil, isPeople},
		"an initial user":                   {statement, func(q *proto.Query) { q.Info.InitialUser = "owner" }, isPeople},
		"a query of a server":               {statement, asServer, isPeople},
		"a query of a server with a secret": {statement, func(q *proto.Query) { asServer(q); q.Secret = strings.Repeat("x", 32) }, isPeople},
		"a server that reads":               {"SELECT * FROM secret.account", asServer, exceptionOf(497)},
		"a server that writes":              {"INSERT INTO market.quote SELECT today(), 1", asServer, exceptionOf(497)},
		"a server that sets readonly":       {"INSERT INTO market.quote SELECT today(), 1", func(q *proto.Query) { asServer(q); writable(q) }, exceptionOf(497)},
		"readonly as a setting":             {statement, writable, exceptionOf(164)},
		"a hidden table":                    {"SELECT * FROM secret.account", nil, exceptionOf(497)},
		"DDL":                               {"CREATE TABLE market.a (a Int8) ORDER BY a", nil, exceptionOf(497)},
		"the listeners":                     {"SYSTEM STOP LISTEN TCP", nil, exceptionOf(497)},
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

func base64(text string) string { return encoding.StdEncoding.EncodeToString([]byte(text)) }

// form gives a body of multipart/form-data with the boundary b.
func form(pairs ...string) string {
	var text strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&text, "--b\nContent-Disposition: form-data; name=%q\n\n%s\n", pairs[i], pairs[i+1])
	}
	return text.String() + "--b--\n"
}
