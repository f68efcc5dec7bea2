-- The series of mutual funds with a row that stands on each of some days, alive or closed, from the lists that are stored of
-- each day (45_candidate_day). It has one row for each day and build. Rows of ALL builds are given, also of newer and failed ones. Keep
-- those whose build is market_build of the day in backtest_builds.sql.
-- The columns of a row are one text of the format RowBinary, which is read many times faster than rows. It has arrays of ids, each
-- ascending: all series; those whose row is void; those in dólares; those in a currency that is neither pesos nor dólares; and those
-- whose row is of an earlier day. The last array has these days.
--   days  days with data
SELECT date AS day, build, formatRow('RowBinary', series_ids, void_ids, dollar_ids, unknown_ids, earlier.series_id, earlier.date) AS columns
FROM candidate_day
WHERE date IN {days:Array(Date)}
