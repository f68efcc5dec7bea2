-- Do investors follow past returns: do the best series of a year win more money in the next one?
--
-- Answer: one row for each quartile of the return of a year within its category and currency (1 is the best):
-- number of pairs of series and year, mean return of the year in percent, and net contributions of the next year
-- in percent of the equity at its start, over all of the quartile.
-- Caveats: quartile = ceil(4 * place / number of series), so that spare series fall into the last quartiles.
-- Only groups of at least four series, price returns of 12 months, and some equity in each month. The category is
-- the newest one. No closed series is counted, because the only comparator of this market is of its last day. The
-- synthetic market draws its flows at random, so that it shows no such habit.
-- Market: synthetic
WITH
    yearly AS
    (
        SELECT
            series_id, toYear(month) AS year, currency,
            exp(sum(log(1 + price_return))) - 1 AS return_of_year,
            count(price_return)                 AS months,
            argMax(equity_clp, month)           AS at_end
        FROM funds.monthly
        GROUP BY series_id, year, currency
        HAVING months = 12 AND countIf(equity > 0) = 12
    ),
    flows AS
    (
        SELECT series_id, toYear(date) AS year, sum(flow_clp) AS paid_in
        FROM funds.daily
        GROUP BY series_id, year
    ),
    ranked AS
    (
        SELECT
            yearly.*,
            toUInt8(ceil(4 * row_number() OVER (PARTITION BY last_category, currency, year ORDER BY return_of_year DESC, series_id)
                         / count() OVER (PARTITION BY last_category, currency, year))) AS quartile
        FROM yearly
        INNER JOIN funds.series USING (series_id)
        WHERE last_category IS NOT NULL
        QUALIFY count() OVER (PARTITION BY last_category, currency, year) >= 4
    )
SELECT
    quartile,
    count()                                                AS pairs,
    round(100 * avg(return_of_year), 2)                    AS return_percent,
    round(100 * sum(paid_in) / sum(at_end), 2)             AS next_year_flow_percent
FROM ranked
INNER JOIN flows ON flows.series_id = ranked.series_id AND flows.year = ranked.year + 1
WHERE ranked.at_end > 0 AND ranked.year < 2024
GROUP BY quartile
ORDER BY quartile
