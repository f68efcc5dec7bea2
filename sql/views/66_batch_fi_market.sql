-- The instruments of investment funds on a date, as batch N sees them: for each given
-- series that is alive at the batch's cutoff, its row of the date or of the seven days
-- before, with its changes. Only ETFs and redeemable funds are included, which market views
-- show together with mutual funds (RULES 11).
--   SELECT * FROM batch_fi_market(batch = 7, date = '2025-07-20',
--                              series = (SELECT toString(groupArray(series_id)) FROM fi_instrument WHERE batch = 7 AND current))
CREATE OR REPLACE VIEW batch_fi_market AS
SELECT
    instruments.instrument_id AS instrument_id, changes.series_id AS series_id, instruments.fund_id AS fund_id, instruments.run AS run,
    assumeNotNull(instruments.serie) AS serie, instruments.fund AS fund, instruments.manager AS manager, instruments.vehicle AS vehicle,
    changes.date AS date, changes.currency AS currency, changes.quota AS price, changes.equity AS equity,
    changes.shareholders AS shareholders,
    changes.previous_equity_used AS previous_equity, 100 * changes.daily_return AS daily_change,
    changes.month_equity_used AS month_equity, 100 * changes.monthly_return AS monthly_change
FROM
(
    SELECT *
    FROM batch_market_change(batch = {batch:UInt64}, from = toDate({date:Date}) - 7, to = {date:Date}, series = {series:Array(UInt32)}, all_series = false)
    ORDER BY series_id, date DESC
    LIMIT 1 BY series_id
) AS changes
INNER JOIN
(
    SELECT * FROM fi_instrument
    WHERE batch = {batch:UInt64} AND current AND (vehicle = 'etf' OR regulatory_type = 'RES')
) AS instruments ON instruments.series_id = changes.series_id
