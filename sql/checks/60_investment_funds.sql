-- Each instrument has one row, the row of a fund itself is listed only while no series of
-- it is known, and each status agrees with its dates.
SELECT format('instrument {} is {} times in the batch, expected once', toString(instrument_id), toString(count())) AS violation
FROM fi_instrument WHERE batch = {batch:UInt64} GROUP BY instrument_id HAVING count() > 1 LIMIT 10
UNION ALL
SELECT format('series {} has {} instruments, expected one', toString(assumeNotNull(series_id)), toString(count()))
FROM fi_instrument WHERE batch = {batch:UInt64} AND series_id IS NOT NULL GROUP BY series_id HAVING count() > 1 LIMIT 10
UNION ALL
SELECT format('fund {} has {} rows of the fund itself, {} series and {} listed instruments; expected one row of the fund, listed only if it has no series', run, toString(countIf(serie IS NULL)), toString(count(serie)), toString(countIf(listed)))
FROM fi_instrument WHERE batch = {batch:UInt64}
GROUP BY run
HAVING countIf(serie IS NULL) != 1 OR countIf(listed) != greatest(count(serie), 1)
LIMIT 10
UNION ALL
SELECT format('instrument {} has status {}, but its last value is of {}', toString(instrument_id), status, ifNull(toString(last_date), 'null'))
FROM fi_instrument
WHERE batch = {batch:UInt64} AND (status = 'active' OR current) AND NOT ifNull(last_date BETWEEN toDate({as_of:Date}) - 95 AND {as_of:Date}, false)
LIMIT 10
UNION ALL
SELECT format('series {} of an investment fund was in batch {} and is missing in this batch', toString(assumeNotNull(series_id)), toString({previous:UInt64}))
FROM fi_instrument
WHERE batch = {previous:UInt64} AND series_id IS NOT NULL
  AND series_id NOT IN (SELECT series_id FROM fi_instrument WHERE batch = {batch:UInt64} AND series_id IS NOT NULL)
LIMIT 10
UNION ALL
SELECT format('day {} of fi_day has {} rows, but the files have {} series on that day', toString(built.date), toString(built.rows), toString(stated.rows))
FROM
(
    SELECT date, count() AS rows FROM fi_day
    WHERE build = {batch:UInt64} GROUP BY date
) AS built
FULL JOIN
(
    SELECT date, uniqExact(run, serie) AS rows FROM fact_investment_value
    WHERE date IN (SELECT date FROM fi_day_version WHERE build = {batch:UInt64})
      AND source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    GROUP BY date
) AS stated USING (date)
WHERE built.rows != stated.rows
LIMIT 10
