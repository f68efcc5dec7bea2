-- What this batch computes of the market summary by day. It computes everything of a day that
-- was built again (35_market_day_version), or whose dólar changed: that decides what may be a
-- rise or fall. It computes a family on a day if its change now counts since another day
-- (55_index_day), or if one of its series is alive at this cutoff and was not at the previous
-- one, or the other way round. So a series that closes changes every day of its life.
INSERT INTO summary_day_version (batch, date, whole, family_rar)
WITH
    days AS
    (
        SELECT DISTINCT date FROM market_day_version
        WHERE parts.seen_by_batch(key: build)
    ),
    moved AS
    (
        SELECT series_id FROM screener WHERE batch IN ({batch:UInt64}, {previous:UInt64}) AND {previous:UInt64} != 0
        GROUP BY series_id HAVING count() = 1
        UNION DISTINCT
        -- A series that has a quote up to this cutoff and had none up to the previous one, or the other way round, enters or
        -- leaves the rises and falls of then.
        SELECT series_id FROM series WHERE batch IN ({batch:UInt64}, {previous:UInt64}) AND {previous:UInt64} != 0
        GROUP BY series_id HAVING count() = 1
    )
SELECT {batch:UInt64}, date, true, ''
FROM days
WHERE {rebuild:Bool} OR {previous:UInt64} = 0
   OR date IN (SELECT date FROM market_day_version WHERE build = {batch:UInt64})
   OR date IN (parts.moved_dolars)
UNION ALL
SELECT DISTINCT {batch:UInt64}, date, false, family_rar
FROM
(
    SELECT family_rar, currency, date, opening_date
    FROM index_day
    WHERE batch IN ({batch:UInt64}, {previous:UInt64}) AND {previous:UInt64} != 0 AND opening_date IS NOT NULL
    GROUP BY family_rar, currency, date, opening_date
    HAVING count() = 1
    UNION ALL
    SELECT ifNull(family_rar, ''), currency, stands_on, NULL
    FROM batch_market_standing(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
    WHERE series_id IN moved
)
WHERE date IN days
