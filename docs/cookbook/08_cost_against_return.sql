-- Do expensive series return less than cheap ones of the same family?
--
-- Answer: one row for each quarter of cost within the family and currency (1 is the cheapest): number of series,
-- mean cost rate in percent a year, and mean return of three years in percent a year above or below the mean of
-- the series of the family in that currency.
-- Caveats: only series that are alive, with all of the last 36 months and some equity in each, in groups of at
-- least four such series. quarter = ceil(4 * place / number of series), so that spare series fall into the last
-- quarters. The return is after costs, nominal, with distributions reinvested. Rates are synthetic ones of the
-- newest comparator.
-- Market: synthetic
WITH gains AS
(
    SELECT series_id, exp(sum(log(1 + adjusted_return)) / 3) - 1 AS yearly
    FROM funds.monthly
    WHERE month > '2022-06-30' AND month <= '2025-06-30'
    GROUP BY series_id
    HAVING count(adjusted_return) = 36 AND countIf(equity > 0) = 36
)
SELECT
    quarter,
    count()                                   AS series,
    round(100 * avg(tac), 3)                  AS tac_percent,
    round(100 * avg(above_family), 3)         AS return_above_family_percent
FROM
(
    SELECT
        tac,
        yearly - avg(yearly) OVER (PARTITION BY family, currency) AS above_family,
        toUInt8(ceil(4 * row_number() OVER (PARTITION BY family, currency ORDER BY tac, series_id) / count() OVER (PARTITION BY family, currency))) AS quarter
    FROM funds.screener
    INNER JOIN gains USING (series_id)
    WHERE family IS NOT NULL AND tac_kind = 'synthetic' AND tac_date = (SELECT max(tac_date) FROM funds.screener WHERE tac_kind = 'synthetic')
    QUALIFY count() OVER (PARTITION BY family, currency) >= 4
)
GROUP BY quarter
ORDER BY quarter
