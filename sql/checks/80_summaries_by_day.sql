-- What is stored of the market summary by day agrees with the rest of the batch. Each family on a day
-- counts as many series as the daily market has there of those alive at the cutoff, so a day that
-- was copied although one of its series closed is found. A series with a place among the living
-- ones is alive, one with a place among all is known, and the places of a list have no gaps.
WITH
    alive AS (SELECT series_id FROM screener WHERE batch = {batch:UInt64}),
    standing AS
    (
        SELECT stands_on, ifNull(family_rar, '') AS family, currency, count() AS alive_series
        FROM batch_market_standing(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
        WHERE price IS NOT NULL AND series_id IN alive
          AND stands_on IN
          (
              SELECT date FROM market_day_version
              WHERE parts.seen_by_batch(key: build)
          )
        GROUP BY stands_on, family, currency
    )
SELECT format('{} counts {} series in {} on {}, and the daily market has {} that are alive',
              if(stored.family_rar != '', stored.family_rar, standing.family), toString(stored.series), if(stored.currency != '', stored.currency, standing.currency),
              toString(greatest(stored.date, stands_on)), toString(alive_series)) AS violation
FROM standing
FULL OUTER JOIN (SELECT date, family_rar, currency, series FROM summary_family WHERE batch = {batch:UInt64}) AS stored
    ON stored.date = stands_on AND stored.family_rar = standing.family AND stored.currency = standing.currency
WHERE stored.series != alive_series
LIMIT 10
UNION ALL
SELECT format('series {} is in {} of {} and is not alive at the cutoff, or not known', toString(series_id), list, toString(date))
FROM summary_mover
WHERE batch = {batch:UInt64} AND (place > 0 AND series_id NOT IN alive OR series_id NOT IN (SELECT series_id FROM series WHERE batch = {batch:UInt64}))
LIMIT 10
UNION ALL
SELECT format('{} of {} has {} places among living series and {} among all, of which the last are {} and {}', list, toString(date),
              toString(countIf(place > 0)), toString(countIf(place_then > 0)), toString(max(place)), toString(max(place_then)))
FROM summary_mover
WHERE batch = {batch:UInt64}
GROUP BY date, list
HAVING countIf(place > 0) != max(place) OR countIf(place_then > 0) != max(place_then) OR max(place_then) > 10
LIMIT 10
