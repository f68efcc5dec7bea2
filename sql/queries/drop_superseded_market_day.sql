-- Rows of market_day whose build no kept batch sees.
DELETE FROM market_day
WHERE (date, build) IN
(
    SELECT date, build FROM market_build
    INNER JOIN
    (
        SELECT date, max(build) AS seen FROM market_build
        WHERE build <= (SELECT min(batch) FROM batch) GROUP BY date
    ) AS oldest USING (date)
    WHERE build < oldest.seen
)
