-- Rows of manager_day whose build no kept batch sees.
DELETE FROM manager_day WHERE (date, build) IN (SELECT date, build FROM superseded_market_day)
