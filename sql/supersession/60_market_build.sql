-- Rows of market_build whose build no kept batch sees.
DELETE FROM market_build WHERE (date, build) IN (SELECT date, build FROM superseded_market_day)
