-- Rows of day_build whose build no kept batch sees.
DELETE FROM day_build WHERE (date, build) IN (SELECT date, build FROM superseded_day)
