-- Are series with more spheres (the rating of the regulator) better and cheaper than others?
--
-- Answer: one row for each rating: number of series, mean nominal return of three years above the mean of the
-- rated series of the family and investor class in percent a year, number of these series with a cost rate, and
-- mean cost rate above that of the rated series of the family and investor class in percent points.
-- Caveats: rating and return cover the same years, so that this does not say what a rated series does later; for
-- that, join the comparator of one year with the returns of the next. Only series with a rating and a return of
-- three years. Cost rates are synthetic ones of the newest comparator, which has none for the family Otros. That
-- family mixes funds of all kinds, so that its few series move the mean returns much.
-- Market: demo
SELECT
    spheres,
    count()                             AS series,
    round(100 * avg(above_return), 2)   AS return_above_group_percent,
    count(above_tac)                    AS series_with_cost,
    round(100 * avg(above_tac), 2)      AS tac_above_group_points
FROM
(
    SELECT
        official.spheres AS spheres,
        official.nominal_3y - avg(official.nominal_3y) OVER (PARTITION BY official.family, official.investor_class) AS above_return,
        rates.tac - avg(rates.tac) OVER (PARTITION BY official.family, official.investor_class)                     AS above_tac
    FROM funds.official_returns AS official
    LEFT JOIN
    (
        SELECT series_id, tac
        FROM funds.screener
        WHERE tac_kind = 'synthetic' AND tac_date = (SELECT max(tac_date) FROM funds.screener WHERE tac_kind = 'synthetic')
    ) AS rates ON rates.series_id = official.series_id
    WHERE official.date = (SELECT max(date) FROM funds.official_returns)
      AND official.spheres IS NOT NULL AND official.nominal_3y IS NOT NULL
)
GROUP BY spheres
ORDER BY spheres
