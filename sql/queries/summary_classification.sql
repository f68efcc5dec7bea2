-- How much of the market that is looked at has a family.
SELECT
    countIf(family_rar IS NOT NULL) AS classified,
    countIf(family_rar IS NULL)     AS unclassified,
    toFloat64(sumIf(equity_clp, family_rar IS NOT NULL)) / nullIf(toFloat64(sum(equity_clp)), 0) AS coverage,
    max(previous_date)              AS previous_date,
    countIf(flow IS NULL)           AS without_flow,
    (
        SELECT maxOrNullIf(stated_on, stated_on <= {date:Date}) FROM classification
        WHERE batch = {batch:UInt64} AND source = 'comparator'
    ) AS report_date,
    (SELECT minOrNull(stated_on) FROM classification WHERE batch = {batch:UInt64} AND source = 'comparator') AS first_report_date
FROM
(
    SELECT
        family_rar, previous_date, flow,
        cuota_clp(currency, equity, dolar.value) AS equity_clp
    FROM market_day_of(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date}) AS market
    LEFT JOIN (SELECT date AS dolar_date, value FROM dolar_of(batch = {batch:UInt64})) AS dolar ON dolar_date = market.date
    WHERE series_id IN (SELECT series_id FROM universe_of(batch = {batch:UInt64}))
)
