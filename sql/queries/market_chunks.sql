-- The days of the market that a batch builds, in chunks of rows, built or not. So memory does not grow with the
-- history, a small market is one chunk, and building an old day does not read all days since.
parts.chunks_of_market(list: market_day_version; column: build)
