-- How much of the market has a family on each of some days, and since when the regulator has
-- published families. It covers the series alive at the cutoff, by their rows that count on
-- the day.
--   batch     number of the batch
--   from, to  first and last day
WITH
    (
        SELECT groupUniqArray(date) FROM fact_official_return
        WHERE source_sha256 IN (SELECT sha256 FROM batch_file(batch = {batch:UInt64}))
    ) AS reports,
    arrayFilter(report -> report <= day, reports) AS known
SELECT
    day AS date, classified, unclassified, unconverted, coverage, previous_date, classified_later,
    if(empty(known), NULL, arrayMax(known))     AS report_date,
    if(empty(reports), NULL, arrayMin(reports)) AS first_report_date
FROM (SELECT arrayJoin(arrayMap(n -> toDate({from:Date}) + n, range(toUInt16(toDate({to:Date}) - toDate({from:Date}) + 1)))) AS day) AS days
LEFT JOIN
(
    SELECT
        stands_on,
        countIf(family_rar IS NOT NULL) AS classified,
        countIf(family_rar IS NULL)     AS unclassified,
        countIf(equity_clp IS NULL)     AS unconverted,
        toFloat64(sumIf(equity_clp, family_rar IS NOT NULL)) / nullIf(toFloat64(sum(equity_clp)), 0) AS coverage,
        maxIf(previous_date, date = stands_on) AS previous_date,
        -- A series that counts in a family which only a report after the row's day has stated.
        countIf(classified_later AND family_rar IS NOT NULL AND currency IN ('PESOS', 'DOLAR')) > 0 AS classified_later
    FROM
    (
        SELECT
            stands_on, date, currency, family_rar, classified_later, previous_date,
            cuota_clp(currency, equity, dolar.value) AS equity_clp
        FROM batch_market_standing(batch = {batch:UInt64}, from = {from:Date}, to = {to:Date}) AS market
        LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64})) AS dolar ON dolar_date = market.stands_on
        WHERE price IS NOT NULL AND series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))
    )
    GROUP BY stands_on
) AS covered ON covered.stands_on = days.day
ORDER BY date
SETTINGS join_use_nulls = 0
