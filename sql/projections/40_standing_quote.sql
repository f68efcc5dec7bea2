-- The newest quote of each series on each day that this batch builds. Before the first of
-- these days, the quotes are those that stood on the day of the market before it.
--
-- chunks: return_chunks
INSERT INTO standing_quote (date, series_id, build, quote_date, quota, currency, stated_currency)
WITH
    earlier AS
    (
        SELECT series_id, quote_date, quota, currency, stated_currency
        FROM standing_quote
        WHERE (date, build) IN
        (
            SELECT * FROM parts.newest_builds(list: return_day_version)
            WHERE date < {from:Date} ORDER BY date DESC LIMIT 1
        )
    ),
    quotes AS
    (
        SELECT series_id, date, quota, currency, currency AS stated FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE date BETWEEN {from:Date} AND {to:Date}
        UNION ALL
        SELECT series_id, date, quota, currency, currency FROM batch_fi_quote(batch = {batch:UInt64}, series = [], all_series = true)
        WHERE date BETWEEN {from:Date} AND {to:Date}
        UNION ALL
        SELECT * FROM earlier
    ),
    followed AS
    (
        SELECT
            series_id, date, quota, currency,
            leadInFrame(date, 1, toDate({to:Date}) + 1) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS next_date,
            anyLastIf(stated, stated != '') OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS stated_currency
        FROM quotes
    )
SELECT day, series_id, {batch:UInt64}, date, quota, currency, stated_currency
FROM followed
ARRAY JOIN arrayMap(n -> toDate(n), range(toUInt32(greatest(date, toDate({from:Date}))), toUInt32(next_date))) AS day
WHERE day IN (SELECT date FROM return_day_version WHERE build = {batch:UInt64})
