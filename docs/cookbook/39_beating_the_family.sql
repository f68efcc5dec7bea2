-- How many series beat the index of their family after costs?
--
-- Answer: one row for each category: number of series with the whole of the last three years, how many returned
-- more than the index of their family in their currency, the percentage of them, and their mean distance to the
-- index in percent a year.
-- Caveats: only series that are alive, because the comparator names the family of no other, with some equity in
-- each month. The index is weighted by equity, so that more than half of the series may be below it. Only
-- families whose series here are of at least two funds in that currency, and whose index has all 36 months.
-- Market: synthetic
WITH
    own AS
    (
        SELECT series_id, exp(sum(log(1 + adjusted_return)) / 3) - 1 AS yearly
        FROM funds.monthly
        WHERE month > '2022-06-30' AND month <= '2025-06-30'
        GROUP BY series_id
        HAVING count(adjusted_return) = 36 AND countIf(equity > 0) = 36
    ),
    indices AS
    (
        SELECT family, currency, exp(sum(log(1 + index_return)) / 3) - 1 AS yearly
        FROM funds.family_monthly
        WHERE month > '2022-06-30' AND month <= '2025-06-30'
        GROUP BY family, currency
        HAVING count() = 36
    ),
    several AS
    (
        SELECT family, currency
        FROM own
        INNER JOIN funds.series USING (series_id)
        WHERE family IS NOT NULL
        GROUP BY family, currency
        HAVING uniqExact(fund_id) >= 2
    )
SELECT
    listed.category AS category,
    count()                                                         AS series,
    countIf(own.yearly > indices.yearly)                            AS above_index,
    round(100 * countIf(own.yearly > indices.yearly) / count(), 1)  AS above_percent,
    round(100 * avg(own.yearly - indices.yearly), 2)                AS mean_distance_points
FROM own
INNER JOIN funds.series AS listed ON listed.series_id = own.series_id
INNER JOIN indices ON indices.family = listed.family AND indices.currency = listed.currency
INNER JOIN several ON several.family = listed.family AND several.currency = listed.currency
GROUP BY category
ORDER BY category
