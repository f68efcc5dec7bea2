-- The latest complete date of a batch that is being built; null if there is none.
SELECT maxOrNullIf(date, complete) AS cutoff FROM market_completeness WHERE batch = {batch:UInt64}
