-- The least that a batch can't do without: for each series the quote at each of
-- the ten dates that its eight return windows begin or end with. The outer
-- aggregation makes one row of the result, so that nothing is left out and
-- nothing is sent. Days lie in the order of series, so that aggregating in that
-- order, which takes a tenth of the time, is what a batch is held against.
WITH
    toDate({as_of:Date}) AS as_of,
    if(as_of = toLastDayOfMonth(as_of), as_of, toLastDayOfMonth(subtractMonths(as_of, 1))) AS closed_month_end
SELECT count(), sum(cityHash64(*))
FROM
(
    SELECT
        series_id,
        argMaxIf((date, quota), date, date <= as_of),
        argMaxIf((date, quota), date, date <= subtractMonths(as_of, 1)),
        argMaxIf((date, quota), date, date <= subtractMonths(as_of, 3)),
        argMaxIf((date, quota), date, date <= subtractMonths(as_of, 6)),
        argMaxIf((date, quota), date, date <= subtractMonths(as_of, 12)),
        argMaxIf((date, quota), date, date <= toStartOfYear(as_of) - 1),
        argMaxIf((date, quota), date, date <= subtractMonths(as_of, 36)),
        argMaxIf((date, quota), date, date <= subtractMonths(as_of, 60)),
        argMaxIf((date, quota), date, date <= closed_month_end),
        argMaxIf((date, quota), date, date <= toLastDayOfMonth(subtractMonths(closed_month_end, 1)))
    FROM series_day
    GROUP BY series_id
)
SETTINGS optimize_aggregation_in_order = 1
