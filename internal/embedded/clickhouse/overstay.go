package clickhouse

import (
	"context"
	"strconv"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// A query of people ends when its time is up, but not inside a single block, or while it
// reads a pipe of the engine by its name below /proc. Queries that have outlived their
// limit this often are taken for such, and once there are so many of them, the engine is
// ended and started again: else they would in the end have all places that people have.
const (
	overstayFactor = 3
	maxOverstayed  = 16
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
