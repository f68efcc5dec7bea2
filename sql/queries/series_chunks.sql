-- All series by their ids, in chunks of at most about ten million rows of series_day and fi_day. So the
-- memory of a statement that puts the days of each series in order grows neither with the history nor
-- with the number of series. They come in the order of ids.
WITH (SELECT count() FROM series_day) + (SELECT count() FROM fi_day) AS stored_rows
SELECT toString(min(id)) AS first, toString(max(id)) AS last
FROM
(
    SELECT id, intDiv((row_number() OVER (ORDER BY id) - 1) * stored_rows, intDiv(10000000, {finer:UInt32}) * count() OVER ()) AS chunk
    FROM registry
    WHERE kind IN ('series', 'fi_series')
)
GROUP BY chunk
ORDER BY min(id)
