-- How many builds of days no kept batch sees, and how many files there are of which
-- rejected rows are kept no longer.
SELECT
    (SELECT count() FROM superseded_day) + (SELECT count() FROM superseded_market_day) + (SELECT count() FROM superseded_fi_day)
    + (SELECT count() FROM outdated_reject) AS superseded
