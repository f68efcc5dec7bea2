package door

import (
	"crypto/rand"
	encoding "encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
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
		"no credentials":           {want: "people"},
		"statement in the address": {line: "GET /?query=SELECT+currentUser() HTTP/1.1", want: "people"},
		"semicolon in the address": {line: "GET /?query=SELECT+currentUser(); HTTP/1.1", want: "people"},
		"user default":             {line: "POST /?user=default HTTP/1.1", want: "people"},
		"user people":              {line: "POST /?user=people&password= HTTP/1.1", want: "people"},
		"user default in a header": {headers: []string{"X-ClickHouse-User: default"}, want: "people"},
		"header user and an empty key": {headers: []string{"X-ClickHouse-User: people", "X-ClickHouse-Key:"},
			want: "people"},
		"Basic of default":          {headers: []string{emptyBasic}, want: "people"},
		"Basic and header together": {headers: []string{emptyBasic, "X-ClickHouse-User: default"}, want: "people"},
		"Basic of nobody":           {headers: []string{"Authorization: Basic " + base64(":")}, want: "people"},

		"Basic of JDBC": {headers: []string{"Authorization: Basic " + base64("default:null")},
			want: "people"},
		"the password null alone": {line: "POST /?password=null HTTP/1.1", want: "people"},
		"owner with the password null": {headers: []string{"Authorization: Basic " + base64("owner:null")},
			want: "403 516"},

		"owner as a parameter": {line: "POST /?user=owner&password=" + key + " HTTP/1.1",
			want: "403 516"},
		"owner without a password": {line: "POST /?user=owner HTTP/1.1", want: "403 516"},
		"a password alone":         {line: "POST /?password=" + key + " HTTP/1.1", want: "403 516"},
		"percent-encoded name of a parameter": {line: "POST /?%75ser=owner&p%61ssword=" + key + " HTTP/1.1",
			want: "403 516"},
		"name of a parameter in capitals": {line: "POST /?USER=owner&Password=" + key + " HTTP/1.1",
			want: "403 516"},
		"user twice, people first": {line: "POST /?user=people&user=owner HTTP/1.1", want: "403 516"},
		"user twice, owner first":  {line: "POST /?user=owner&user=people HTTP/1.1", want: "403 516"},
		"user in two spellings":    {line: "POST /?user=people&User=owner HTTP/1.1", want: "403 516"},
		"user with a space":        {line: "POST /?user=default%20 HTTP/1.1", want: "403 516"},
		"user in capitals":         {line: "POST /?user=PEOPLE HTTP/1.1", want: "403 516"},
		"user with a NUL":          {line: "POST /?user=people%00 HTTP/1.1", want: "403 516"},
		"owner in headers": {headers: []string{"X-ClickHouse-User: owner",
			"X-ClickHouse-Key: " + key}, want: "403 516"},
		"owner in lower-case headers": {headers: []string{"x-clickhouse-user: owner",
			"x-clickhouse-key: " + key}, want: "403 516"},
		"a key alone": {headers: []string{"X-ClickHouse-Key: " + key}, want: "403 516"},
		"header twice, people first": {headers: []string{"X-ClickHouse-User: people",
			"X-ClickHouse-User: owner", "X-ClickHouse-Key: " + key}, want: "403 516"},
		"key twice, the empty one first": {headers: []string{"X-ClickHouse-Key:", "X-ClickHouse-Key: " + key},
			want: "403 516"},
		"owner by Basic": {headers: []string{ownerBasic}, want: "403 516"},
		"Basic twice":    {headers: []string{emptyBasic, ownerBasic}, want: "403 516"},
		"owner by Basic, people by a header": {headers: []string{ownerBasic, "X-ClickHouse-User: people"},
			want: "403 516"},
		"Bearer": {headers: []string{"Authorization: Bearer eyJhbGciOiJub25lIn0.e30."},
			want: "403 516"},
		"Basic that is no base64": {headers: []string{"Authorization: Basic !"}, want: "403 516"},
		"the useless user default by a header, with a password": {headers: []string{"X-ClickHouse-User: default",
			"X-ClickHouse-Key: x"}, want: "403 516"},

		"a certificate": {headers: []string{"X-ClickHouse-SSL-Certificate-Auth: on",
			"X-ClickHouse-User: default"}, want: "people"},
		"a token": {headers: []string{"X-ClickHouse-JWT-Token: eyJhbGciOiJub25lIn0.e30."},
			want: "people"},
		"a role": {line: "POST /?role=owner&role=default HTTP/1.1", want: "people"},
		"a quota key": {line: "POST /?quota_key=a HTTP/1.1",
			headers: []string{"X-ClickHouse-Quota: b"}, want: "people"},
		"headers as parameters": {line: "POST /?X-ClickHouse-User=owner&x-clickhouse-key=" + key + " HTTP/1.1",
			want: "people"},
		"cookies": {headers: []string{"Cookie: user=owner; password=" + key}, want: "people"},
		"headers of proxies": {headers: []string{"X-Forwarded-For: ::1", "Forwarded: for=[::1]",
			"Via: 1.1 a", "Referer: http://owner:" + key + "@localhost/"}, want: "people"},
		"user kept by Connection": {headers: []string{"Connection: keep-alive, X-ClickHouse-User",
			"X-ClickHouse-User: default"}, want: "people"},
		"an upgrade": {headers: []string{"Connection: Upgrade", "Upgrade: websocket"},
			want: "people"},
		"a proxy's credentials": {headers: []string{"Proxy-Authorization: Basic " + base64("owner:"+key)},
			want: "people"},
		"credentials in the address": {line: "POST http://owner:" + key + "@localhost/ HTTP/1.1", want: "people"},
		"a trailer": {headers: []string{"Transfer-Encoding: chunked", "Trailer: X-ClickHouse-User"},
			body: "14\n" + statement + "\n0\nX-ClickHouse-User: owner\n\n", want: "people"},
		"credentials in a form": {headers: []string{"Content-Type: application/x-www-form-urlencoded"},
			body: statement + " -- &user=owner&password=" + key, want: "people"},
		"credentials in a form's parts": {line: "POST /?query=SELECT+currentUser() HTTP/1.1",
			headers: []string{"Content-Type: multipart/form-data; boundary=b"},
			body:    form("user", "owner", "password", key, "role", "owner", "quota_key", "a"), want: "people"},
		"the statement twice": {line: "GET /?query=SELECT+currentUser()&query=SELECT+1 HTTP/1.1",
			want: "people"},
		"database default": {line: "POST /?database=default HTTP/1.1",
			body: "SELECT currentUser() WHERE currentDatabase() = 'market'", want: "people"},
		"database default in a header": {headers: []string{"X-ClickHouse-Database: default"},
			body: "SELECT currentUser() WHERE currentDatabase() = 'market'", want: "people"},
		"a session": {line: "POST /?session_id=a&session_timeout=10 HTTP/1.1", want: "people"},

		"another user by EXECUTE AS":  {body: "EXECUTE AS owner SELECT currentUser()", want: "500 344"},
		"another role by a statement": {body: "SET ROLE ALL EXCEPT owner", want: "404 511"},
		"readonly in the address":     {line: "POST /?readonly=0 HTTP/1.1", want: "500 164"},
		"readonly in the statement":   {body: statement + " SETTINGS readonly = 0", want: "500 164"},
		"a profile": {line: "POST /?profile=default HTTP/1.1",
			body: statement + " WHERE getSetting('readonly') = 1 AND getSetting('max_memory_usage') = 500000000",
			want: "people"},
		"a hidden database": {line: "POST /?database=secret HTTP/1.1", body: "SELECT * FROM account",
			want: "500 497"},
		"an unknown database": {line: "POST /?database=nowhere HTTP/1.1", want: "404 81"},

		"a host name of the web": {headers: []string{"Host: evil.example"}, want: "403 497"},
		"a host name that begins with localhost": {headers: []string{"Host: localhost.evil.example"},
			want: "403 497"},
		"an address of the network":  {headers: []string{"Host: 192.0.2.1:8123"}, want: "403 497"},
		"a host name in the address": {line: "POST http://evil.example/ HTTP/1.1", want: "403 497"},
		"no host name": {line: "POST / HTTP/1.0", headers: []string{"Host:"},
			want: "403 497"},
		"localhost":             {headers: []string{"Host: LOCALHOST.:8123"}, want: "people"},
		"loopback of version 6": {headers: []string{"Host: [::1]:8123"}, want: "people"},
		"a page of the web": {headers: []string{"Origin: https://evil.example"},
			want: "403 497"},
		"a page of the web named as localhost": {headers: []string{"Origin: https://localhost.evil.example"},
			want: "403 497"},
		"a page without an origin": {headers: []string{"Origin: null"}, want: "403 497"},
		"a local page and one of the web": {headers: []string{"Origin: http://localhost",
			"Origin: https://evil.example"}, want: "403 497"},
		"a local page": {headers: []string{"Origin: http://localhost:3000"},
			want: "people"},
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
		"a body beyond the limit": {body: strings.Repeat(" ", maxBodyBytes) + statement,
			want: "413 290"},
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
				a.headers = append(a.headers, "Content-Length: "+
					strconv.Itoa(len(strings.ReplaceAll(a.body, "\n", "\r\n"))))
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
	made := exchange(t, s.http, "POST /?session_id="+session+"&user=owner&password="+s.password+
		" HTTP/1.0\nContent-Length: 39\n\nCREATE TEMPORARY TABLE mine AS SELECT 1")
	if made.status != 200 {
		t.Fatal(made.body)
	}
	got := exchange(t, d.http, "GET /?session_id="+session+"&query=SELECT+*+FROM+mine HTTP/1.0\nHost: localhost\n\n")
	if got.code != "60" {
		t.Errorf("people are answered %d %q", got.status, got.body)
	}
}

func base64(text string) string { return encoding.StdEncoding.EncodeToString([]byte(text)) }

// form returns a body of multipart/form-data with the boundary b.
func form(pairs ...string) string {
	var text strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		fmt.Fprintf(&text, "--b\nContent-Disposition: form-data; name=%q\n\n%s\n", pairs[i], pairs[i+1])
	}
	return text.String() + "--b--\n"
}
