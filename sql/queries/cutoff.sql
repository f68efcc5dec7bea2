-- The latest complete date of a batch that is being built; null without one.
SELECT maxOrNullIf(date, complete) AS cutoff FROM day WHERE batch = {batch:UInt64}
