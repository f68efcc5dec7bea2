-- Rows of series_day whose build no kept batch sees.
DELETE FROM series_day WHERE (date, build) IN (SELECT date, build FROM superseded_day)
