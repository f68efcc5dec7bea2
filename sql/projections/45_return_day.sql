-- The eight windows of each series on each day that this batch builds, by the rule of
-- batch_price_return (RULES 1). A window begins and ends with the quotes that stand on its
-- target dates, or on the last day of the market before. A series has rows until 38 days
-- after its newest quote. Later no window has a value, because a month end is at most 30
-- days back and its quote at most 7 days older.
--
-- chunks: return_chunks
INSERT INTO return_day
    (date, series_id, build, effective_end, currency, stated_currency, month_effective_end, month_currency,
     return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month,
     reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month,
     start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month)
WITH
    builds AS parts.newest_builds(list: return_day_version),
    targets AS
    (
        -- place 1 is the end, 2 to 9 are the starts of the windows in order, and 10 is the end
        -- of the last closed month.
        SELECT wanted.day AS day, wanted.place AS place, market.date AS stood_on
        FROM
        (
            SELECT date AS day, place, target, 1 AS one
            FROM return_day_version
            ARRAY JOIN
                arrayConcat([date], arrayMap(w -> w.3, cuota_windows(date, cuota_closed_month_end(date))), [cuota_closed_month_end(date)]) AS target,
                range(1, 11) AS place
            WHERE build = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date}
        ) AS wanted
        ASOF JOIN (SELECT date, 1 AS one FROM builds) AS market ON market.one = wanted.one AND market.date <= wanted.target
    ),
    places AS
    (
        -- The oldest series come first, so that lists of early days are short.
        SELECT series_id AS id, row_number() OVER (ORDER BY min(date), series_id) - 1 AS place
        FROM standing_quote
        GROUP BY series_id
    ),
    standing AS
    (
        -- The quotes of each day as one list, in which every series has its place.
        SELECT
            date,
            date IN (SELECT day FROM targets) AS is_end,
            groupArrayInsertAt(toUInt128(0))(cuota_packed_quote(quote_date, quota, currency), toUInt32(places.place)) AS quotes,
            -- Only the day on which the windows end needs these.
            groupArrayInsertAtIf('')(toString(stated_currency), toUInt32(places.place), is_end)                     AS currencies,
            groupArrayInsertAtIf(toUInt32(0))(series_id, toUInt32(places.place), is_end)                            AS ids
        FROM standing_quote
        INNER JOIN places ON places.id = standing_quote.series_id
        WHERE date IN (SELECT stood_on FROM targets) AND (date, build) IN (SELECT date, newest FROM builds)
        GROUP BY date
    ),
    picked AS
    (
        SELECT
            day,
            anyIf(ids, place = 1)        AS ids,
            anyIf(currencies, place = 1) AS stated,
            anyIf(quotes, place = 1)  AS q_end,
            anyIf(quotes, place = 2)  AS q_1m,
            anyIf(quotes, place = 3)  AS q_3m,
            anyIf(quotes, place = 4)  AS q_6m,
            anyIf(quotes, place = 5)  AS q_1y,
            anyIf(quotes, place = 6)  AS q_ytd,
            anyIf(quotes, place = 7)  AS q_3y,
            anyIf(quotes, place = 8)  AS q_5y,
            anyIf(quotes, place = 9)  AS q_month_start,
            anyIf(quotes, place = 10) AS q_month_end
        FROM standing
        INNER JOIN targets ON targets.stood_on = standing.date
        GROUP BY day
    ),
    by_series AS
    (
        SELECT day, series_id, stated, q_end, q_1m, q_3m, q_6m, q_1y, q_ytd, q_3y, q_5y, q_month_start, q_month_end
        FROM picked
        ARRAY JOIN
            ids AS series_id,
            arrayResize(stated, length(ids), '')      AS stated,
            arrayResize(q_end, length(ids))           AS q_end,
            arrayResize(q_1m, length(ids))            AS q_1m,
            arrayResize(q_3m, length(ids))            AS q_3m,
            arrayResize(q_6m, length(ids))            AS q_6m,
            arrayResize(q_1y, length(ids))            AS q_1y,
            arrayResize(q_ytd, length(ids))           AS q_ytd,
            arrayResize(q_3y, length(ids))            AS q_3y,
            arrayResize(q_5y, length(ids))            AS q_5y,
            arrayResize(q_month_start, length(ids))   AS q_month_start,
            arrayResize(q_month_end, length(ids))     AS q_month_end
        WHERE cuota_unpacked_quote(q_end).1 >= day - 38
    ),
    breaks AS
    (
        SELECT series_id, groupArray((date, kind)) AS list FROM discontinuity WHERE batch = {batch:UInt64} GROUP BY series_id
    ),
    judged AS
    (
        SELECT
            day, series_id, stated,
            cuota_unpacked_quote(q_end) AS last,
            cuota_unpacked_quote(q_month_end) AS month_last,
            arrayMap(q -> cuota_unpacked_quote(q), [q_1m, q_3m, q_6m, q_1y, q_ytd, q_3y, q_5y, q_month_start]) AS starts,
            [last, last, last, last, last, last, last, month_last] AS ends,
            parts.judged_windows(day: day)
        FROM by_series
        LEFT JOIN breaks USING (series_id)
    )
SELECT
    day, series_id, {batch:UInt64}, last.1, last.3, stated, nullIf(month_last.1, toDate(0)), month_last.3,
    values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8],
    reasons[1], reasons[2], reasons[3], reasons[4], reasons[5], reasons[6], reasons[7], reasons[8],
    nullIf(starts[1].1, toDate(0)), nullIf(starts[2].1, toDate(0)), nullIf(starts[3].1, toDate(0)), nullIf(starts[4].1, toDate(0)),
    nullIf(starts[5].1, toDate(0)), nullIf(starts[6].1, toDate(0)), nullIf(starts[7].1, toDate(0)), nullIf(starts[8].1, toDate(0))
FROM judged
SETTINGS join_use_nulls = 0
