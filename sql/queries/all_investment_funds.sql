-- The series of ETFs and of redeemable investment funds that are alive at the cutoff, as
-- they were at a date: for each series its newest book values of the date or of the seven
-- days before, and its newest risk snapshot by then. It is separate from all_funds because
-- most callers ask only for mutual funds.
--   vehicle     etf, investment_fund or all
--   article107  declares_eligible, declares_not_eligible, unknown; empty: any
WITH assessed AS (SELECT cuota_rol(article107.run) AS run, status FROM batch_article107(batch = {batch:UInt64}) AS article107)
SELECT
    listed.instrument_id AS instrument_id, listed.series_id AS series_id, listed.fund_id AS fund_id, listed.run AS run,
    listed.serie AS serie, listed.fund AS fund, listed.manager AS manager, toString(listed.vehicle) AS vehicle,
    if(listed.currency IN ('PESOS', 'DOLAR'), listed.currency, NULL) AS currency,
    listed.date AS price_date, listed.price AS price, listed.daily_change AS daily_change, listed.monthly_change AS monthly_change,
    listed.equity AS equity, listed.previous_equity AS previous_equity, listed.month_equity AS month_equity,
    listed.shareholders AS shareholders,
    parts.risk_columns,
    if(assessed.status = '', 'unknown', assessed.status) AS article107
FROM batch_fi_market(
    batch = {batch:UInt64}, date = {date:Date},
    series = (SELECT toString(groupArray(assumeNotNull(series_id))) FROM fi_instrument WHERE batch = {batch:UInt64} AND current)) AS listed
LEFT JOIN risk_as_of(batch = {batch:UInt64}, as_of = {date:Date}, series = [], all_series = true) AS risk ON risk.series_id = listed.series_id
LEFT JOIN assessed ON assessed.run = listed.run
WHERE {vehicle:String} IN ('all', listed.vehicle)
  AND ({article107:String} = '' OR article107 = {article107:String})
