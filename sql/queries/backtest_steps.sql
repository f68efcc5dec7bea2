-- What happens to series of mutual funds between quotes (docs/backtests.md, section 4; batch_series_step).
--   steps  stored: the table of the batch; computed: the view, for a batch that another version of the program
--          built. A view that is not named is not planned.
WITH
    stored AS (SELECT series_id, date, broken, factor FROM series_step WHERE batch = {batch:UInt64}),
    computed AS (SELECT series_id, date, broken, factor FROM batch_series_step(batch = {batch:UInt64}, first = 0, last = 4294967295))
SELECT series_id, date, broken, factor
FROM {steps:Identifier}
ORDER BY series_id, date
