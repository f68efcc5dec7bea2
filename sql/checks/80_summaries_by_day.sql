-- What is stored of the market summary by day agrees with the rest of the batch. The families of a
-- day count as many series as the daily market has there of those alive at the cutoff, so a day that
-- was copied although one of its series closed is found. A series that has a place among the living
-- ones is alive, and the places of a list have no gaps.
WITH
    alive AS (SELECT series_id FROM screener WHERE batch = {batch:UInt64}),
    standing AS
    (
        SELECT stands_on, count() AS alive_series
        FROM batch_market_standing(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
        WHERE price IS NOT NULL AND series_id IN alive
        GROUP BY stands_on
    ),
    summed AS (SELECT date AS summed_on, sum(series) AS stored_series FROM summary_family WHERE batch = {batch:UInt64} GROUP BY date)
SELECT format('summary_family counts {} series on {}, and the daily market has {} that are alive', toString(stored_series), toString(date), toString(alive_series)) AS violation
FROM (SELECT DISTINCT date FROM market_day_version WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))) AS days
LEFT JOIN standing ON stands_on = date
LEFT JOIN summed ON summed_on = date
WHERE stored_series != alive_series
LIMIT 10
UNION ALL
SELECT format('series {} is in {} of {} and is not alive at the cutoff', toString(series_id), list, toString(date))
FROM summary_mover
WHERE batch = {batch:UInt64} AND place > 0 AND series_id NOT IN alive
LIMIT 10
UNION ALL
SELECT format('{} of {} has {} places among living series and {} among all, of which the last are {} and {}', list, toString(date),
              toString(countIf(place > 0)), toString(countIf(place_then > 0)), toString(max(place)), toString(max(place_then)))
FROM summary_mover
WHERE batch = {batch:UInt64}
GROUP BY date, list
HAVING countIf(place > 0) != max(place) OR countIf(place_then > 0) != max(place_then) OR max(place_then) > 10
LIMIT 10
SETTINGS join_use_nulls = 0
