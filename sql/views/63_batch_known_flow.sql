-- For how many series of some days the net contributions are known, as batch N sees it: those of
-- the newest business day, from rows up to the day (RULES 8), and those of every quote since one
-- month earlier. All series with a quote on the day count, even if they have closed since. A flow in a
-- currency other than pesos and dollars is not known, because it can't be converted.
--   SELECT * FROM batch_known_flow(batch = 7, from = '2025-07-14', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_known_flow AS
WITH
    directions AS (SELECT * FROM batch_flow_direction(batch = {batch:UInt64}, from = toDate({from:Date}) - 7, to = {to:Date})),
    quoted AS
    (
        SELECT
            date, price, toString(currency) AS of_currency, month_date,
            -- 1970-01-01 if there is none
            maxIf(date, flow IS NULL OR currency NOT IN ('PESOS', 'DOLAR')) OVER (PARTITION BY series_id ORDER BY date ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS last_without,
            groupArrayIf((date, toString(currency)), flow IS NOT NULL AND currency IN ('PESOS', 'DOLAR'))
                OVER (PARTITION BY series_id ORDER BY date RANGE BETWEEN 7 PRECEDING AND CURRENT ROW) AS flowing
        FROM batch_market_day(batch = {batch:UInt64}, from = subtractMonths(toDate({from:Date}), 1) - 7, to = {to:Date})
    )
SELECT
    date,
    count() AS series,
    countIf(date - begun <= 7 AND until >= begun
            AND arrayCount(f -> f.1 BETWEEN begun AND until AND f.2 = of_currency, flowing) = until - begun + 1) AS daily,
    countIf(month_date IS NOT NULL AND last_without <= month_date)                                                AS monthly
FROM (SELECT * FROM quoted WHERE date >= {from:Date} AND price IS NOT NULL) AS of_day
ASOF LEFT JOIN (SELECT currency AS opening_currency, date AS begun FROM directions WHERE opens) AS opening
    ON opening_currency = of_currency AND begun <= date
ASOF LEFT JOIN (SELECT currency AS closing_currency, date AS until FROM directions WHERE closes) AS closing
    ON closing_currency = of_currency AND until <= date
GROUP BY date
SETTINGS join_use_nulls = 0
