-- Family indices by day (RULES 7). The days are walked in order. A day within seven days of
-- the last index date is an index date if a series counts since that date. Otherwise it is
-- passed over. A day before any index date, or more than seven days after the last one, is
-- an index date if a series counts since an earlier day of that gap, at most seven days
-- before. The earliest such day then becomes an index date too, with the base of 100 or the
-- level of the last index date, and without a change.
--
-- There are two walks. The walk of the index leaves spikes out. But a spike is only
-- recognised by the next quote, and the summary of a day must not depend on later days. So
-- the walk for the changes in market-summary, which gives opening_date, counts spikes.
--
-- Days that each chain to the previous day and to no other day form a run, which is walked
-- in one step. Most families have only a few runs.
INSERT INTO index_day (batch, family_rar, currency, date, opening_date, previous_date, step, value, series, of_series, equity_share)
WITH
    long_steps AS
    (
        -- Each as (previous day, step, series, share of the equity). All daily ones are covered, and the others are filtered.
        SELECT
            family_rar AS long_family, currency AS long_currency, date AS long_date,
            arraySort(groupArray((previous_date, assumeNotNull(cuota_weighted_mean(changes)), toUInt32(length(changes)),
                                  ifNull(cuota_equity_share(changes, whole), 0)))) AS daily,
            arraySort(groupArrayIf((previous_date, ifNull(cuota_weighted_mean(chained), 0), toUInt32(length(chained)),
                                    ifNull(cuota_equity_share(chained, whole), 0)), cuota_covers(chained, whole))) AS chained_steps
        FROM
        (
            SELECT steps.*, arrayFilter(c -> NOT c.6, changes) AS chained, held.equity AS whole
            FROM batch_family_long_step(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06') AS steps
            INNER JOIN
            (
                SELECT date, family_rar, currency, equity
                FROM batch_family_day(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
            ) AS held ON held.date = steps.date AND held.family_rar = steps.family_rar AND held.currency = steps.currency
        )
        GROUP BY long_family, long_currency, long_date
    ),
    families AS
    (
        -- For each day (date, steps that lead to it, whether the only one comes from the
        -- previous day, series of the family).
        SELECT
            family_rar, currency,
            arraySort(groupArray((date, index_steps, length(index_steps) = 1 AND chained_return IS NOT NULL, series))) AS index_days,
            arraySort(groupArray((date, opening_steps, length(opening_steps) = 1 AND daily_return IS NOT NULL, series))) AS opening_days
        FROM
        (
            SELECT
                family_rar, currency, date, chained_return, daily_return, series,
                arrayConcat(long_steps.chained_steps, if(chained_return IS NULL, [],
                    [(assumeNotNull(previous_date), assumeNotNull(chained_return), chained_series, ifNull(chained_share, 0))])) AS index_steps,
                arrayConcat(long_steps.daily, if(daily_return IS NULL, [],
                    [(assumeNotNull(previous_date), assumeNotNull(daily_return), eligible_series, ifNull(eligible_share, 0))])) AS opening_steps
            FROM batch_family_day(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06') AS days
            LEFT JOIN long_steps ON long_family = days.family_rar AND long_currency = days.currency AND long_date = days.date
            WHERE quoted > 0
        )
        GROUP BY family_rar, currency
    ),
    walks AS
    (
        SELECT
            family_rar, currency,
            arrayJoin([('index', index_days), ('opening', opening_days)]) AS kept,
            kept.1                             AS walk,
            kept.2                             AS days,
            arraySplit(day -> NOT day.3, days) AS runs,
            -- Folds the runs into (last index date, result of each run): the first of its
            -- days that is an index date, the day to which the first day of the run chains,
            -- and whether only this makes that day an index date. toDate(0) means none.
            arrayFold(
                (at, run) -> (
                    at.1 != toDate(0) AND run[1].1 - at.1 <= 7                                    AS within_reach,
                    if(within_reach,
                       arrayFirst(step -> step.1 = at.1, run[1].2).1,
                       arrayFirst(step -> at.1 = toDate(0) OR step.1 - at.1 > 7, run[1].2).1)      AS chained_to,
                    if(chained_to != toDate(0),
                       run[1].1,
                       arrayFirst(day -> at.1 = toDate(0) OR day.1 - at.1 > 7, arrayPopBack(run)).1) AS begun_on,
                    (if(begun_on = toDate(0), at.1, run[-1].1),
                     arrayPushBack(at.2, (begun_on, chained_to, chained_to != toDate(0) AND NOT within_reach)))
                ).4,
                runs, (toDate(0), CAST([], 'Array(Tuple(Date, Date, UInt8))'))).2 AS outcomes,
            arrayMap(outcome -> outcome.2, arrayFilter(outcome -> outcome.3, outcomes)) AS first_dates,
            -- For each day (date, whether it is an index date, the day to which it chains,
            -- (previous day, step, series, share) of the step, series of the family).
            arrayFlatten(arrayMap(
                (run, outcome) -> arrayMap(
                    day -> (
                        day.1,
                        outcome.1 != toDate(0) AND day.1 >= outcome.1 OR has(first_dates, day.1),
                        multiIf(day.1 = run[1].1, outcome.2, outcome.1 != toDate(0) AND day.1 > outcome.1, day.2[1].1, toDate(0)) AS chained_day,
                        arrayFirst(step -> step.1 = chained_day, day.2),
                        day.4),
                    run),
                runs, outcomes)) AS walked
        FROM families
    )
SELECT
    {batch:UInt64}, family_rar, currency, in_index.1,
    nullIf(in_opening.3, toDate(0)),
    nullIf(in_index.3, toDate(0)),
    if(in_index.3 = toDate(0), NULL, in_index.4.2),
    if(in_index.2, 100 * exp(growth), NULL),
    if(in_index.3 = toDate(0), 0, in_index.4.3), in_index.5, if(in_index.3 = toDate(0), NULL, in_index.4.4)
FROM
(
    SELECT
        family_rar, currency,
        groupArrayIf(walked, walk = 'index')[1]   AS index_walked,
        groupArrayIf(walked, walk = 'opening')[1] AS opening_walked
    FROM walks
    GROUP BY family_rar, currency
)
ARRAY JOIN
    index_walked AS in_index,
    opening_walked AS in_opening,
    arrayCumSum(arrayMap(day -> log1p(day.4.2), index_walked)) AS growth
