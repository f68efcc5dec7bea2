-- How many series began and ended in each year?
--
-- Answer: one row for each year: series quoted for the first time, series quoted for the last time, and the net
-- number.
-- Caveats: the history of this market begins on 2020-05-31, so that 2020 counts only what came after its first
-- day. 2025 ends at the cutoff, 2025-06-30. Mutual funds only. A series that is alive has not ended, even if it
-- was last quoted some days ago.
-- Market: synthetic
SELECT
    year,
    countIf(what = 'first')                 AS new_series,
    countIf(what = 'last')                  AS closed_series,
    toInt64(new_series) - closed_series     AS net
FROM
(
    SELECT toYear(first_date) AS year, 'first' AS what FROM funds.series WHERE vehicle = 'mutual_fund' AND first_date > (SELECT min(date) FROM funds.daily)
    UNION ALL
    SELECT toYear(last_date), 'last' FROM funds.series WHERE vehicle = 'mutual_fund' AND NOT current
)
GROUP BY year
ORDER BY year
