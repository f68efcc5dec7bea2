-- What did one year in a series return, whenever it began?
--
-- Answer: one row for each series of the RUN 9809-4: number of days with a quote on which a year ended, the
-- lowest, median and highest return of these years in percent, percentage of the years that lost money, and the
-- days on which the worst and the best year ended.
-- Caveats: years that overlap are not independent of each other. A year in which nobody invested for a while has
-- no return. A series has a return only from a year after its first quote on, so that series of different ages
-- saw different markets.
-- Market: demo
SELECT
    serie,
    count()                                              AS years,
    round(100 * min(return_1y), 2)                       AS lowest_percent,
    round(100 * quantileExactInclusive(0.5)(return_1y), 2) AS median_percent,
    round(100 * max(return_1y), 2)                       AS highest_percent,
    round(100 * avg(return_1y < 0), 1)                   AS losing_percent,
    argMin(date, (return_1y, date))                      AS worst_end,
    argMax(date, (return_1y, date))                      AS best_end
FROM funds.returns_daily
INNER JOIN funds.series USING (series_id)
WHERE run = '9809-4' AND return_1y IS NOT NULL AND date = effective_end AND date <= (SELECT as_of_date FROM funds.published)
GROUP BY serie
ORDER BY serie
