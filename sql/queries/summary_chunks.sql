-- The days of which a batch computes the market summary, in chunks as market_chunks.sql has them for the
-- days that it builds.
parts.chunks_of_market(list: summary_day_version; column: batch)
