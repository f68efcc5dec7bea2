-- The latest day of each series, on or before the cutoff, with its changes. A
-- change is null where a break lies between its two quotes or either is invalid.
INSERT INTO series_latest
    (batch, series_id, date, quota, equity, shareholders, previous_date, previous_equity, daily_change,
     month_date, month_equity, monthly_change)
WITH
    7 AS tolerance_days,
    latest AS
    (
        SELECT
            series_id,
            argMax((date, quota, equity, shareholders, currency), date) AS last,
            last.1 AS last_date
        FROM series_day_of(batch = {batch:UInt64}, series = [])
        WHERE date <= {as_of:Date}
        GROUP BY series_id
    ),
    earlier AS
    (
        SELECT
            series_id,
            any(latest.last) AS last,
            argMaxIf((date, quota, equity), date, date < latest.last_date)                      AS previous,
            argMaxIf((date, quota, equity), date, date <= subtractMonths(latest.last_date, 1))  AS month,
            any(subtractMonths(latest.last_date, 1))                                            AS month_target
        FROM series_day_of(batch = {batch:UInt64}, series = []) AS quotes
        INNER JOIN latest USING (series_id)
        WHERE date <= {as_of:Date} AND date >= latest.last_date - 62
        GROUP BY series_id
    ),
    breaks AS
    (
        SELECT series_id, groupArray(date) AS dates FROM series_break WHERE batch = {batch:UInt64} GROUP BY series_id
    )
SELECT
    {batch:UInt64},
    series_id,
    last.1, last.2, last.3, last.4,
    has_previous ? previous.1 : NULL,
    has_previous ? previous.3 : NULL,
    has_previous AND previous.2 > 0 AND last.2 > 0 AND NOT arrayExists(d -> d > previous.1 AND d <= last.1, dates)
        ? 100 * (toFloat64(last.2) / toFloat64(previous.2) - 1) : NULL,
    has_month ? month.1 : NULL,
    has_month ? month.3 : NULL,
    has_month AND last.5 IN ('PESOS', 'DOLAR') AND month.2 > 0 AND last.2 > 0 AND NOT arrayExists(d -> d > month.1 AND d <= last.1, dates)
        ? 100 * (toFloat64(last.2) / toFloat64(month.2) - 1) : NULL
FROM
(
    SELECT
        *,
        previous.1 != toDate(0) AND last.1 - previous.1 <= tolerance_days AS has_previous,
        month.1 != toDate(0) AND month_target - month.1 <= tolerance_days AS has_month
    FROM earlier
    LEFT JOIN breaks USING (series_id)
)
