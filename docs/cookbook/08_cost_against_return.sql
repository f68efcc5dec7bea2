-- Do expensive series return less than cheap ones of the same family?
--
-- Answer: one row for each quarter of cost within the family (1 is the cheapest): number of series, mean
-- cost rate in percent a year, and mean return of three years in percent a year above or below the mean of
-- the family in that currency.
-- Caveats: only series that are alive and three years old, in families of at least four such series. The
-- return is after costs. Rates are synthetic ones of the newest comparator.
-- Market: synthetic
SELECT
    quarter,
    count()                                   AS series,
    round(100 * avg(tac), 3)                  AS tac_percent,
    round(100 * avg(above_family), 3)         AS return_above_family_percent
FROM
(
    SELECT
        tac,
        return_3y_ann - avg(return_3y_ann) OVER (PARTITION BY family, currency) AS above_family,
        toUInt8(ceil(4 * row_number() OVER (PARTITION BY family, currency ORDER BY tac, series_id) / count() OVER (PARTITION BY family, currency))) AS quarter
    FROM funds.screener
    WHERE family IS NOT NULL AND return_3y_ann IS NOT NULL AND tac_kind = 'synthetic' AND equity > 0
    QUALIFY count() OVER (PARTITION BY family, currency) >= 4
)
GROUP BY quarter
ORDER BY quarter
