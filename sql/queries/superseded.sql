-- How many builds of days no kept batch sees.
SELECT
    (SELECT count() FROM superseded_day) + (SELECT count() FROM superseded_market_day) + (SELECT count() FROM superseded_fi_day) AS superseded
