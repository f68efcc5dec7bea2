-- How many series alive at the cutoff there are, and of how many of these only one day has a quota. Such series have no
-- returns.
SELECT count() AS series, countIf(first_date = last_date) AS of_one_day
FROM series
WHERE batch = {batch:UInt64} AND current
