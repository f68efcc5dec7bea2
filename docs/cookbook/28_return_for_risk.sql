-- Which funds gave the most return for their risk, in each category?
--
-- Answer: the three best funds of each category: return of 36 months in percent a year, standard deviation of
-- the same 36 monthly returns in percent a year, deepest fall in percent, and return divided by deviation.
-- Caveats: all figures end at the month end risk_date, and returns are adjusted by the factors of the daily
-- file. Nominal, in accounting currency, without a riskless rate. Money market is left out, because its
-- deviation is almost 0. Only series with 36 months and with equity at the cutoff; the best series of each fund.
-- Market: synthetic
SELECT
    category, fund, serie,
    round(100 * yearly, 2)               AS return_percent,
    round(100 * deviation, 2)            AS deviation_percent,
    round(100 * deepest_fall, 2)         AS deepest_fall_percent,
    round(yearly / deviation, 2)         AS return_for_risk
FROM
(
    SELECT
        s.series_id AS series_id, s.fund_id AS fund_id, s.category AS category, s.fund AS fund, s.serie AS serie,
        s.volatility_36m AS deviation, s.max_drawdown_36m AS deepest_fall,
        exp(sum(log(1 + months.adjusted_return)) / 3) - 1 AS yearly
    FROM funds.screener AS s
    INNER JOIN funds.monthly AS months ON months.series_id = s.series_id
    WHERE s.volatility_36m > 0 AND s.category IS NOT NULL AND s.category != 'money_market' AND s.equity > 0
      AND months.month > toLastDayOfMonth(addMonths(s.risk_date, -36)) AND months.month <= s.risk_date
    GROUP BY series_id, fund_id, category, fund, serie, deviation, deepest_fall
    ORDER BY yearly / deviation DESC, series_id
    LIMIT 1 BY fund_id
)
ORDER BY category, yearly / deviation DESC, series_id
LIMIT 3 BY category
