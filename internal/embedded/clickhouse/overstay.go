package clickhouse

import (
	"context"
	"strconv"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"cuota/internal/loop"
)

// ClickHouse cancels a query of people when its time limit is over. It can't cancel a query
// that is inside a single block, or one that reads one of the engine's pipes through /proc. In
// the end, such queries could use all the places for queries of people. So the engine is
// restarted once there are too many of them.
const (
	// A query counts as stuck after overstayFactor times its time limit.
	overstayFactor = 3
	// The engine is restarted when maxOverstayed queries are stuck.
	maxOverstayed = 16
	// overstayLook is the time between two checks, and the timeout of a check.
	overstayLook = 5 * time.Second
)

// overstayed counts people's queries that have run for longer than the given seconds.
const overstayed = "SELECT count() FROM system.processes WHERE user = {user:String} AND elapsed > {seconds:Float64}"

// tooManyOverstay waits until too many of people's queries are stuck, or until ctx ends.
func (s *Server) tooManyOverstay(ctx context.Context) {
	options := s.optionsAt(s.at)
	options.MaxOpenConns, options.MaxIdleConns = 1, 1
	conn, err := driver.Open(options)
	if err != nil {
		s.log.Error().Err(err).Msg("can't check for queries of people that exceed their time limit")
		<-ctx.Done()
		return
	}
	defer func() { _ = conn.Close() }()
	limit := (overstayFactor * s.config.QueryTimeout).Seconds()
	for loop.Pause(ctx, overstayLook) == nil {
		limited, cancel := context.WithTimeout(ctx, overstayLook)
		var count uint64
		err := conn.QueryRow(driver.Context(limited, driver.WithParameters(driver.Parameters{
			"user": "people", "seconds": strconv.FormatFloat(limit, 'f', -1, 64),
		})), overstayed).Scan(&count)
		cancel()
		if err == nil && count >= maxOverstayed { // watch detects an engine that does not answer by other means
			s.log.Error().Uint64("queries",
				count).Msg("queries of people exceeded their time limit and did not end; restarting ClickHouse")
			return
		}
	}
}
