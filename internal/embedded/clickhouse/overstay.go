package clickhouse

import (
	"context"
	"strconv"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// ClickHouse ends a query of people when its time is up. It cannot end one that is inside
// a single block, or that reads a pipe of the engine by its name below /proc. Such queries
// would in the end take all the places that people have, so the engine is ended and
// started again once there are too many.
const (
	// overstayFactor times its limit is after how long a query is taken for such.
	overstayFactor = 3
	// maxOverstayed of them end the engine.
	maxOverstayed = 16
	// overstayLook is the pause between two looks.
	overstayLook = 5 * time.Second
)

// overstayed counts people's queries that should have ended long ago.
const overstayed = "SELECT count() FROM system.processes WHERE user = {user:String} AND elapsed > {seconds:Float64}"

// tooManyOverstay returns when people's queries that can't be ended are too many, or
// when ctx ends.
func (s *Server) tooManyOverstay(ctx context.Context) {
	options := s.optionsAt(s.at)
	options.MaxOpenConns, options.MaxIdleConns = 1, 1
	conn, err := driver.Open(options)
	if err != nil {
		s.log.Error().Err(err).Msg("can't look for people's queries that do not end")
		<-ctx.Done()
		return
	}
	defer func() { _ = conn.Close() }()
	limit := (overstayFactor * s.config.QueryTimeout).Seconds()
	look := time.NewTicker(overstayLook)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		limited, cancel := context.WithTimeout(ctx, overstayLook)
		var count uint64
		err := conn.QueryRow(driver.Context(limited, driver.WithParameters(driver.Parameters{
			"user": "people", "seconds": strconv.FormatFloat(limit, 'f', -1, 64),
		})), overstayed).Scan(&count)
		cancel()
		if err == nil && count >= maxOverstayed { // an engine that does not answer is seen elsewhere
			s.log.Error().Uint64("queries", count).Msg("people's queries do not end; ending ClickHouse with them")
			return
		}
	}
}
