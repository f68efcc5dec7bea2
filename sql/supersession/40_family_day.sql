-- Rows of family_day whose build no kept batch sees.
DELETE FROM family_day WHERE (date, build) IN (SELECT date, build FROM superseded_market_day)
