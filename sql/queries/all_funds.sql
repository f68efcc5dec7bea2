-- The series of mutual funds, and of ETFs that publish a cartola, that are alive at the
-- cutoff, as they were at a date: for each series its newest row of the date or of the
-- seven days before, its newest risk snapshot by then, and its attributes from the
-- catalogues. Sorted by fund name, series name and id.
--   known_by     attributes count as the catalogues stated them up to this day;
--                null: as they state them now (RULES 3)
--   vehicle      mutual_fund, etf, investment_fund (redeemable ones, RULES 11) or all
--   category     category, whatever case; empty: any
--   fund_family  familia_rar, whatever case; empty: any
--   article107   declares_eligible, declares_not_eligible, unknown; empty: any
WITH
    newest AS
    (
        SELECT *
        FROM batch_market_standing(batch = {batch:UInt64}, from = {date:Date}, to = {date:Date})
        WHERE series_id IN (SELECT series_id FROM batch_universe(batch = {batch:UInt64}))
    ),
    assessed AS (SELECT cuota_rol(article107.run) AS run, status FROM batch_article107(batch = {batch:UInt64}) AS article107)
SELECT
    series.series_id AS series_id, series.fund_id AS fund_id, series.run AS run, series.serie AS serie,
    series.previous_serie AS previous_serie, series.current_serie AS current_serie,
    series.first_current_date AS first_current_date, series.alias_ids AS alias_ids,
    funds.name AS fund, nullIf(funds.manager, '') AS manager, toString(funds.vehicle) AS vehicle,
    if({known_by:Nullable(Date)} IS NULL, series.category,       newest.category)       AS category,
    if({known_by:Nullable(Date)} IS NULL, series.family_rar,     newest.family_rar)     AS family_rar,
    if({known_by:Nullable(Date)} IS NULL, series.family_display, newest.family_display) AS family_display,
    {known_by:Nullable(Date)} IS NOT NULL AND newest.classified_later                   AS classified_later,
    if(newest.currency IN ('PESOS', 'DOLAR'), newest.currency, NULL)                    AS currency,
    if({known_by:Nullable(Date)} IS NULL, series.tac, if(costs.series_id = 0, NULL, costs.tac))       AS tac,
    if({known_by:Nullable(Date)} IS NULL, series.tac_kind, nullIf(costs.tac_kind, ''))                AS tac_kind,
    if({known_by:Nullable(Date)} IS NULL, series.tac_date, if(costs.series_id = 0, NULL, costs.date)) AS tac_date,
    if({known_by:Nullable(Date)} IS NULL, series.class_tac, nullIf(costs.investor_class, ''))         AS class_tac,
    newest.date AS price_date, newest.price AS price, newest.daily_change AS daily_change, newest.monthly_change AS monthly_change,
    newest.equity AS equity, newest.previous_equity AS previous_equity, newest.month_equity AS month_equity,
    newest.shareholders AS shareholders,
    parts.risk_columns,
    if(assessed.status = '', 'unknown', assessed.status) AS article107
FROM newest
INNER JOIN (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series ON series.series_id = newest.series_id
INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
LEFT JOIN risk_as_of(batch = {batch:UInt64}, as_of = {date:Date}, series = [], all_series = true) AS risk ON risk.series_id = newest.series_id
LEFT JOIN tac_as_of(batch = {batch:UInt64}, as_of = ifNull({known_by:Nullable(Date)}, toDate('2149-06-06'))) AS costs ON costs.series_id = newest.series_id
LEFT JOIN assessed ON assessed.run = series.run
WHERE (funds.vehicle != 'investment_fund' OR funds.kind = 'FIRES')
  AND ({vehicle:String} = 'all' OR funds.vehicle = {vehicle:String})
  AND ({category:String} = '' OR lowerUTF8(category) = lowerUTF8({category:String}))
  AND ({fund_family:String} = '' OR lowerUTF8(family_rar) = lowerUTF8({fund_family:String}))
  AND ({article107:String} = '' OR article107 = {article107:String})
ORDER BY fund, serie, series_id
