-- The families of each day between {from} and {to} that this batch computes, among the series alive
-- at its cutoff (RULES 7). 65_batch_family_summary states what their changes are; series without a
-- family, and those in other currencies, come as families of their own, which are only counted. A change that rests on
-- too little of the family is null (cuota_covers), and its coverage is stored.
--
-- chunks: summary_chunks
INSERT INTO summary_family
    (batch, date, family_rar, currency, shown, family_display, previous_date, daily_return, daily_series, daily_share,
     monthly_return, monthly_series, monthly_share, equity, equity_clp, series, funds, family_funds,
     unconverted_series, newest_previous, classified_later)
WITH
    -- If there is no index date before, the changes since the newest previous day of any series tell how much is known.
    -- If that would be enough, none counts, because the change would be since a day that is no index date.
    ifNull(opening_date, arrayMax(arrayMap(m -> m.6, daily))) AS since,
    if(long_family = '',
       arrayMap(m -> (m.1, m.2, m.3, m.4, m.5), arrayFilter(m -> m.6 = since, daily)),
       long_changes) AS known,
    arrayFilter(m -> opening_date IS NOT NULL OR NOT cuota_covers(known, held), known) AS eligible,
    due AS
    (
        SELECT date, groupUniqArrayIf(family_rar, NOT whole) AS families, max(whole) AS all_families
        FROM summary_day_version
        WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date}
        GROUP BY date
    ),
    alive AS (SELECT series_id, fund_id FROM screener WHERE batch = {batch:UInt64})
SELECT
    {batch:UInt64}, date, family, currency,
    family != '' AND currency IN ('PESOS', 'DOLAR') AS shown,
    display, opening_date,
    cuota_covered_mean(eligible, held), length(eligible), cuota_equity_share(eligible, held),
    cuota_covered_mean(monthly, held), length(monthly), cuota_equity_share(monthly, held),
    held, cuota_clp(currency, held, dolar), counted, length(fund_ids),
    shown ? length(arrayDistinct(arrayFlatten(groupArrayIf(fund_ids, shown) OVER (PARTITION BY date, family)))) : 0,
    unconverted, newest, later
FROM
(
    SELECT
        stands_on AS date, ifNull(family_rar, '') AS family, currency,
        min(family_display) AS display,
        any(dolar_of_day) AS dolar,
        -- Arrays are sorted by id, because sums of floats depend on the order.
        arraySort(groupArrayIf(
            (series_id, assumeNotNull(toFloat64(previous_equity)), assumeNotNull(daily_change) / 100, run, held_equity,
             assumeNotNull(previous_date)),
            quoted AND previous_date IS NOT NULL AND previous_equity > 0 AND daily_change IS NOT NULL AND daily_outlier = '')) AS daily,
        arraySort(groupArrayIf(
            (series_id, assumeNotNull(toFloat64(month_equity)), assumeNotNull(monthly_change) / 100, run, held_equity),
            quoted AND month_equity > 0 AND monthly_change IS NOT NULL AND monthly_outlier = '')) AS monthly,
        sum(held_equity)                             AS held,
        count()                                      AS counted,
        groupUniqArray(fund_id)                      AS fund_ids,
        countIf(cuota_clp(currency, equity, dolar_of_day) IS NULL) AS unconverted,
        maxIf(previous_date, quoted)                 AS newest,
        max(classified_later)                        AS later
    FROM
    (
        SELECT
            stands_on, standing.series_id AS series_id, fund_id, currency, family_rar, family_display, previous_date, previous_equity,
            daily_change, daily_outlier, month_equity, monthly_change, monthly_outlier, equity, classified_later, run,
            toDecimal128(ifNull(equity, 0), 4)            AS held_equity,
            standing.date = stands_on                     AS quoted,
            dolar.value                                   AS dolar_of_day
        FROM
        (
            SELECT * FROM batch_market_standing(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date})
            WHERE price IS NOT NULL AND series_id IN (SELECT series_id FROM alive)
              AND ((SELECT max(all_families) FROM due) OR ifNull(family_rar, '') IN (SELECT arrayJoin(families) FROM due))
        ) AS standing
        INNER JOIN due ON due.date = stands_on
        INNER JOIN alive ON alive.series_id = standing.series_id
        INNER JOIN (SELECT id, run FROM registry WHERE kind = 'series') AS registered ON registered.id = standing.series_id
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = stands_on
        WHERE all_families OR has(families, ifNull(family_rar, ''))
    )
    GROUP BY stands_on, family, currency
) AS grouped
LEFT JOIN
(
    SELECT date AS opened_on, family_rar AS opened_family, currency AS opened_currency, opening_date FROM index_day
    WHERE batch = {batch:UInt64} AND date BETWEEN {from:Date} AND {to:Date} AND opening_date IS NOT NULL
) AS opened ON opened_on = date AND opened_family = family AND opened_currency = currency
LEFT JOIN
(
    -- A step stays even if none of its series counts. Its list is then empty.
    SELECT
        date AS long_date, family_rar AS long_family, currency AS long_currency, previous_date AS long_opening,
        arraySort(groupArrayIf((change.1, change.2, change.3, change.4, change.5), change.1 IN (SELECT series_id FROM alive))) AS long_changes
    FROM batch_family_long_step(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date})
    ARRAY JOIN changes AS change
    GROUP BY long_date, long_family, long_currency, long_opening
) AS long_steps ON long_date = date AND long_family = family AND long_currency = currency AND long_opening = opening_date
SETTINGS join_use_nulls = 0
