-- The days of a batch with a cartola, each with the day on which the first cartola of it was
-- published (docs/backtests.md, section 2; batch_cartola_day).
SELECT date, published_on, loaded_later
FROM batch_cartola_day(batch = {batch:UInt64})
WHERE place = 1
ORDER BY date
