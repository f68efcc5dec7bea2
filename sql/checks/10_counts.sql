-- If a batch has series, the numbers of its windows, latest days and screener rows must
-- match.
SELECT ifNull(violation, 'a count is null') AS violation FROM
(
    SELECT arrayJoin(arrayFilter(v -> v != '',
    [
        if(series_count > 0 AND screener_count = 0 AND current_count > 0, 'there are current series, but no screener rows', ''),
        if(return_count != 8 * (series_count + fi_count), format('{} return windows for {} series, expected 8 for each', toString(return_count), toString(series_count + fi_count)), ''),
        if(latest_count != series_count, format('{} rows of series_latest for {} series, expected 1 for each', toString(latest_count), toString(series_count)), ''),
        if(screener_count != current_count, format('{} screener rows for {} current series, expected 1 for each', toString(screener_count), toString(current_count)), '')
    ])) AS violation
    FROM
    (
        SELECT
            (SELECT count() FROM series WHERE batch = {batch:UInt64})             AS series_count,
            (SELECT count() FROM series WHERE batch = {batch:UInt64} AND current) AS current_count,
            -- Series of investment funds have windows if there is a cutoff.
            if((SELECT count() FROM market_completeness WHERE batch = {batch:UInt64} AND complete) = 0, 0,
               (SELECT count(series_id) FROM fi_instrument WHERE batch = {batch:UInt64})) AS fi_count,
            (SELECT count() FROM series_return WHERE batch = {batch:UInt64})      AS return_count,
            (SELECT count() FROM series_latest WHERE batch = {batch:UInt64})      AS latest_count,
            (SELECT count() FROM screener WHERE batch = {batch:UInt64})           AS screener_count
    )
)
