-- The rows of builds that no kept batch sees.
DELETE FROM series_day
WHERE (date, build) IN
(
    SELECT date, build FROM day_build
    INNER JOIN
    (
        SELECT date, max(build) AS seen FROM day_build
        WHERE build <= (SELECT min(batch) FROM batch) GROUP BY date
    ) AS oldest USING (date)
    WHERE build < oldest.seen
)
