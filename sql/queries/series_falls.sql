-- The five deepest falls of a series up to a day, the deepest first: from a day with a highest quote, which no earlier one
-- exceeds, to the lowest quote before the next day that reaches it again. Quotes are in the currency of the series, and
-- multiplied by the factors that the cartola states and that are believed (RULES 5), so that a distribution is no fall.
-- Nothing is computed across a break (RULES 1): each part between two breaks is a history of its own.
--   as_of  the last day
--   days, versions, quota  names of tables and of a column, as in days.sql
-- recovered_on is null with status open (not reached again yet) or broken (the history breaks before). days_long counts from the highest
-- quote to that day, else to the last quote of the part. verified_depth is the depth between the same two days with the verified factors
-- in place of those of the cartola; null where they are the same on the days between.
WITH
    breaks AS
    (
        SELECT arraySort(groupUniqArray(date)) AS list
        FROM
        (
            SELECT date FROM discontinuity WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND kind != 'adjustment'
            UNION ALL
            SELECT date FROM series_step WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND broken
        )
    ),
    quotes AS
    (
        SELECT
            date, arrayCount(b -> b <= date, breaks.list) AS part,
            quoted * exp(sum(log(if(factor > 0, factor, 1))) OVER (ORDER BY date ROWS UNBOUNDED PRECEDING)) AS worth
        FROM
        (
            SELECT date, toFloat64(assumeNotNull({quota:Identifier})) AS quoted
            FROM {days:Identifier}
            WHERE series_id = {series_id:UInt32} AND date <= {as_of:Date} AND {quota:Identifier} > 0
              AND (date, build) IN parts.newest_builds(list: {versions:Identifier})
        ) AS stated
        LEFT JOIN
        (
            SELECT date AS step_date, factor FROM series_step
            WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND NOT broken
        ) AS steps ON step_date = stated.date
        CROSS JOIN breaks
    ),
    -- A day whose quote no earlier one of its part exceeds begins a new span.
    spans AS
    (
        SELECT *, sum(worth >= highest) OVER (PARTITION BY part ORDER BY date ROWS UNBOUNDED PRECEDING) AS span
        FROM
        (
            SELECT *, max(worth) OVER (PARTITION BY part ORDER BY date ROWS UNBOUNDED PRECEDING) AS highest, max(date) OVER (PARTITION BY part) AS part_end
            FROM quotes
        )
    ),
    falls AS
    (
        SELECT part, any(part_end) AS part_end, min(date) AS peak_on, argMin(date, (worth, date)) AS lowest_on, min(worth) / max(worth) - 1 AS depth
        FROM spans
        GROUP BY part, span
    ),
    labels AS (SELECT run, serie, position, valid_from, valid_until FROM batch_series_name(batch = {batch:UInt64}) WHERE series_id = {series_id:UInt32}),
    -- The days on which a verified factor is another one than the cartola's, each with the logarithm of their quotient.
    verified AS
    (
        SELECT groupArray((day, more)) AS list
        FROM
        (
            SELECT day, paid, log(paid * adjusted / if(factor > 0, factor, 1)) AS more
            FROM
            (
                SELECT facts.date AS day, toFloat64(facts.distribution_factor) AS paid, toFloat64(facts.adjustment_factor) AS adjusted
                FROM fact_factor AS facts
                INNER JOIN labels ON labels.run = facts.run AND labels.serie = facts.serie
                WHERE facts.source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64})) AND (facts.run, facts.serie) IN (SELECT run, serie FROM labels)
                -- The line that counts on a day, as in factor_history_as_of.
                ORDER BY day, day BETWEEN labels.valid_from AND labels.valid_until DESC, labels.position, facts.revision DESC, facts.source_sha256 DESC, facts.source_line DESC
                LIMIT 1 BY day
            ) AS lines
            LEFT JOIN
            (
                SELECT date AS step_date, factor FROM series_step
                WHERE batch = {batch:UInt64} AND series_id = {series_id:UInt32} AND NOT broken
            ) AS steps ON step_date = day
            WHERE paid BETWEEN 1 AND 1.5 AND adjusted > 0
        )
        WHERE abs(more) > 1e-9
    )
SELECT
    peak_on, lowest_on, depth,
    arrayExists(of -> of.1 > peak_on AND of.1 <= lowest_on, verified.list)
        ? (1 + depth) * exp(arraySum(of -> of.1 > peak_on AND of.1 <= lowest_on ? of.2 : 0, verified.list)) - 1
        : NULL AS verified_depth,
    nullIf(next_peak, toDate(0)) AS recovered_on,
    multiIf(next_peak != toDate(0), 'recovered', part = last_part, 'open', 'broken') AS status,
    toUInt32((next_peak != toDate(0) ? next_peak : part_end) - peak_on) AS days_long
FROM
(
    SELECT
        *, max(part) OVER () AS last_part,
        leadInFrame(peak_on, 1, toDate(0)) OVER (PARTITION BY part ORDER BY peak_on ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING) AS next_peak
    FROM falls
) AS ordered
CROSS JOIN verified
WHERE depth < -1e-12 -- what is above is an error of rounding in the product of factors
ORDER BY depth, peak_on
LIMIT 5
SETTINGS join_use_nulls = 0
