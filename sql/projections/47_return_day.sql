-- The eight windows of each series on each day that this batch builds, by the rule of
-- batch_price_return (RULES 1). A window begins and ends with the quotes that stand on its
-- target dates, or on the last day of the market before.
--
-- chunks: return_chunks
INSERT INTO return_day
    (date, series_id, build, effective_end, currency, stated_currency, month_effective_end, month_currency,
     return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month,
     reason_1m, reason_3m, reason_6m, reason_1y, reason_ytd, reason_3y_ann, reason_5y_ann, reason_last_closed_month,
     start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month)
WITH
    builds AS
    (
        SELECT date, max(build) AS newest FROM return_day_version
        WHERE build <= {batch:UInt64} AND (build = {batch:UInt64} OR build NOT IN (SELECT batch FROM batch_failure))
        GROUP BY date
    ),
    targets AS
    (
        -- place 1 is the end, 2 to 9 are the starts of the windows, and 10 is the end of the
        -- last closed month.
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
    picked AS
    (
        SELECT day, series_id, groupArrayInsertAt(toUInt128(0), 10)(quote, toUInt8(place - 1)) AS quotes, anyIf(stated_currency, place = 1) AS stated
        FROM
        (
            SELECT date, series_id, stated_currency, cuota_packed_quote(quote_date, quota, currency) AS quote
            FROM standing_quote
            WHERE date IN (SELECT stood_on FROM targets) AND (date, build) IN (SELECT date, newest FROM builds)
        ) AS standing
        INNER JOIN targets ON targets.stood_on = standing.date
        GROUP BY day, series_id
    ),
    breaks AS
    (
        SELECT series_id, groupArray((date, kind)) AS list FROM discontinuity WHERE batch = {batch:UInt64} GROUP BY series_id
    ),
    judged AS
    (
        SELECT
            day, series_id, stated,
            arrayMap(q -> cuota_unpacked_quote(q), quotes) AS picks,
            arraySlice(picks, 2, 8) AS starts,
            arrayPushBack(arrayResize([picks[1]], 7, picks[1]), picks[10]) AS ends,
            arrayMap((w, s, e) -> cuota_quote_reason(true, w.4, e.1, e.2, e.3, w.3, s.1, s.2, s.3,
                                                     arrayMap(b -> b.2, arrayFilter(b -> b.1 > s.1 AND b.1 <= e.1, list))),
                     cuota_windows(day, cuota_closed_month_end(day)), starts, ends) AS reasons,
            arrayMap((reason, years, s, e) -> if(reason IS NULL, cuota_annual(e.2 / s.2, years), NULL),
                     reasons, [0, 0, 0, 0, 0, 3, 5, 0], starts, ends) AS values
        FROM picked
        LEFT JOIN breaks USING (series_id)
        WHERE quotes[1] != 0
    )
SELECT
    day, series_id, {batch:UInt64}, picks[1].1, picks[1].3, stated, nullIf(picks[10].1, toDate(0)), picks[10].3,
    values[1], values[2], values[3], values[4], values[5], values[6], values[7], values[8],
    reasons[1], reasons[2], reasons[3], reasons[4], reasons[5], reasons[6], reasons[7], reasons[8],
    nullIf(starts[1].1, toDate(0)), nullIf(starts[2].1, toDate(0)), nullIf(starts[3].1, toDate(0)), nullIf(starts[4].1, toDate(0)),
    nullIf(starts[5].1, toDate(0)), nullIf(starts[6].1, toDate(0)), nullIf(starts[7].1, toDate(0)), nullIf(starts[8].1, toDate(0))
FROM judged
SETTINGS join_use_nulls = 0
