package clickhouse

import (
	"container/list"
	"strconv"
	"strings"
	"sync"

	"cuota/internal/embedded/clickhouse/chdb"
)

// session is a connection of the engine that was made ready for one identity,
// database and set of settings. It runs one statement at a time.
type session struct {
	*chdb.Conn
	key string
	tag string // its value of tagSetting, by which its statements can be killed
	// spent is set when the statement it ran may have left something behind:
	// it is closed instead of being used again.
	spent bool
}

// tagSetting carries the session's tag. The engine takes no query id and no
// settings of our own, so an inert one (it belongs to another query language,
// which is off) says whose statement a row of system.processes is.
const tagSetting = "promql_table"

// maxIdleSessions bounds the sessions kept for the next request with the same
// key; making one costs a fifth of a millisecond. Those in use are bounded by
// the lanes.
const maxIdleSessions = 32

// sessions keeps idle sessions by key and closes those unused for longest.
type sessions struct {
	connect func() (*chdb.Conn, error)
	config  Config

	mu     sync.Mutex
	idle   *list.List // of *session, the last used first
	made   uint64
	closed bool
}

func newSessions(connect func() (*chdb.Conn, error), config Config) *sessions {
	return &sessions{connect: connect, config: config, idle: list.New()}
}

// take answers a session for the identity with the database and the settings,
// in their order. The engine's refusal of a database or setting is the error.
func (p *sessions) take(who identity, database string, settings []setting) (*session, error) {
	key := sessionKey(who, database, settings)
	p.mu.Lock()
	for e := p.idle.Front(); e != nil; e = e.Next() {
		if s := e.Value.(*session); s.key == key {
			p.idle.Remove(e)
			p.mu.Unlock()
			return s, nil
		}
	}
	p.made++
	tag := "session" + strconv.FormatUint(p.made, 10)
	p.mu.Unlock()

	conn, err := p.connect()
	if err != nil {
		return nil, err
	}
	s := &session{Conn: conn, key: key, tag: tag}
	if err := s.prepare(who, database, append(sessionDefaults(p.config, who), settings...)); err != nil {
		conn.Close()
		return nil, err
	}
	return s, nil
}

func (s *session) prepare(who identity, database string, settings []setting) error {
	role := ownerRole
	if who == people {
		role = peopleRole
	}
	statements := []string{"SET ROLE " + role, "USE " + quoteName(database)}
	settings = append(settings, setting{tagSetting, s.tag})
	if who == people {
		settings = append(settings, setting{"readonly", "1"}) // the last: nothing can be set after it
	}
	for _, x := range settings {
		statements = append(statements, "SET "+x.name+" = "+quoteText(x.value))
	}
	for _, text := range statements {
		result, err := s.Query(text, "TSV", nil)
		if err != nil {
			return err
		}
		result.Free()
	}
	return nil
}

// give takes a session back.
func (p *sessions) give(s *session) {
	p.mu.Lock()
	var dropped *session
	switch {
	case s.spent || p.closed:
		dropped = s
	default:
		p.idle.PushFront(s)
		if p.idle.Len() > maxIdleSessions {
			dropped = p.idle.Remove(p.idle.Back()).(*session)
		}
	}
	p.mu.Unlock()
	if dropped != nil {
		dropped.Close()
	}
}

// close closes the idle sessions, and those given back later.
func (p *sessions) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for e := p.idle.Front(); e != nil; e = e.Next() {
		e.Value.(*session).Close()
	}
	p.idle.Init()
}

func sessionKey(who identity, database string, settings []setting) string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(int(who)))
	for _, part := range append([]setting{{database, ""}}, settings...) {
		b.WriteString("\x00" + strconv.Quote(part.name) + "\x00" + strconv.Quote(part.value))
	}
	return b.String()
}
