-- Rows of fi_day whose build no kept batch sees.
DELETE FROM fi_day WHERE (date, build) IN (SELECT date, build FROM superseded_fi_day)
