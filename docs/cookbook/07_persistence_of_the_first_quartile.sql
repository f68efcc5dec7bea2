-- Do the best series of a year stay among the best in the next year?
--
-- Answer: one row for each quartile of the first year (1 is the best quarter of the series of a family and
-- currency): number of series that had a return in the next year as well, and the percentage of them that ended
-- in each quartile then. By chance each would be about 25.
-- Caveats: calendar years, nominal price returns of 12 complete months, and some equity in each month. quartile =
-- ceil(4 * place / number of series), so that spare series fall into the last quartiles. No closed series is
-- counted, because the only comparator of this market is of its last day. That flatters the rest. Families are
-- the newest ones. Groups of family, currency and year have at least four series.
-- Market: synthetic
WITH
    yearly AS
    (
        SELECT series_id, toYear(month) AS year, exp(sum(log(1 + price_return))) - 1 AS return_of_year
        FROM funds.monthly
        GROUP BY series_id, year
        HAVING count(price_return) = 12 AND countIf(equity > 0) = 12
    ),
    ranked AS
    (
        SELECT
            series_id, year,
            toUInt8(ceil(4 * row_number() OVER (PARTITION BY last_family, currency, year ORDER BY return_of_year DESC, series_id)
                         / count() OVER (PARTITION BY last_family, currency, year))) AS quartile
        FROM yearly
        INNER JOIN funds.series USING (series_id)
        WHERE last_family IS NOT NULL
        QUALIFY count() OVER (PARTITION BY last_family, currency, year) >= 4
    )
SELECT
    first.quartile                                        AS quartile,
    count()                                               AS series_and_years,
    round(100 * countIf(second.quartile = 1) / count(), 1) AS then_first_percent,
    round(100 * countIf(second.quartile = 2) / count(), 1) AS then_second_percent,
    round(100 * countIf(second.quartile = 3) / count(), 1) AS then_third_percent,
    round(100 * countIf(second.quartile = 4) / count(), 1) AS then_fourth_percent
FROM ranked AS first
INNER JOIN ranked AS second ON second.series_id = first.series_id AND second.year = first.year + 1
GROUP BY quartile
ORDER BY quartile
