-- The series whose cost rate rose (up) or fell (down) from the previous month to a month,
-- the largest change first (RULES 2); direction is empty for both. There is one series for
-- each fund and direction: the one with the largest change, then with more equity in pesos, then with the lower id. Both months must
-- be known with the same kind of rate: both stated, else both computed, or both synthetic.
-- A difference of less than half of the last decimal of the less exact file is only
-- rounding, and is no change. For computed rates it is the last decimal of the regulator's
-- sheet, which has four. category is the word of the API in any case, and empty for all categories. A
-- change is rounded to 12 decimals, so that equal changes are equal.
--   SELECT * FROM batch_tac_change(batch = 7, month = '2025-06-30', direction = 'up', category = '')
CREATE OR REPLACE VIEW batch_tac_change AS
WITH
    toLastDayOfMonth({month:Date}) AS month_end,
    toLastDayOfMonth(subtractMonths(month_end, 1)) AS previous_end
SELECT
    series.fund_id AS fund_id, funds.name AS fund, funds.manager AS manager, series.run AS run, series.serie AS serie,
    pairs.series_id AS series_id, series.category AS category,
    coalesce(pairs.investor_class, series.class_dated) AS investor_class,
    series.currency AS currency,
    toDecimal128(months.equity, 10) / 1000000 AS patrimony, -- millions of currency at the month end
    pairs.tac_kind AS tac_kind, month_end AS month, previous_end AS previous_month,
    pairs.tac AS tac, pairs.previous AS tac_previous, pairs.delta AS tac_delta,
    pairs.previous = 0 ? NULL : round(100 * pairs.delta / pairs.previous, 2) AS tac_delta_percent,
    cuota_clp(series.currency, months.equity, dolar.value) AS equity_clp -- pesos at the dólar of the month end; null where none is known
FROM
(
    SELECT
        series_id, tac_kind,
        anyIf(rates.investor_class, month = month_end) AS investor_class,
        assumeNotNull(anyIf(rates.tac, month = month_end)) AS tac,
        assumeNotNull(anyIf(rates.tac, month = previous_end)) AS previous,
        round(tac - previous, 12) AS delta,
        -- Half of the last decimal of the percentage, as a fraction.
        5 / intExp10(ifNull(min(decimals), 4) + 3) AS rounding
    FROM batch_tac_rate(batch = {batch:UInt64}, series = [], all_series = true) AS rates
    WHERE month IN (month_end, previous_end) AND rates.tac IS NOT NULL
    GROUP BY series_id, tac_kind
    HAVING count() = 2
    ORDER BY series_id, tac_kind = 'stated' DESC
    LIMIT 1 BY series_id
) AS pairs
INNER JOIN (SELECT * FROM series WHERE batch = {batch:UInt64}) AS series ON series.series_id = pairs.series_id
INNER JOIN (SELECT * FROM fund WHERE batch = {batch:UInt64}) AS funds ON funds.fund_id = series.fund_id
LEFT JOIN (SELECT series_id, equity FROM series_month WHERE batch = {batch:UInt64} AND month = toLastDayOfMonth({month:Date})) AS months
    ON months.series_id = pairs.series_id
LEFT JOIN (SELECT date AS dolar_date, value FROM batch_dolar(batch = {batch:UInt64}) WHERE date = toLastDayOfMonth({month:Date})) AS dolar ON dolar_date = month_end
WHERE ({direction:String} IN ('up', '') AND pairs.delta > 0 OR {direction:String} IN ('down', '') AND pairs.delta < 0)
  AND abs(pairs.delta) >= pairs.rounding
  AND ({category:String} = '' OR lowerUTF8(series.category) = lowerUTF8({category:String}))
ORDER BY abs(tac_delta) DESC, equity_clp DESC NULLS LAST, series_id
LIMIT 1 BY fund_id, tac_delta > 0
SETTINGS join_use_nulls = 0
