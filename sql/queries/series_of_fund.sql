-- Every series of a fund, by name, with its latest day and the investor class
-- that is valid at the cutoff, else the one dated with the TAC. A fund without
-- series gives one row with an empty run, an unknown fund none.
--   batch    number of the batch
--   fund_id  id of the fund
SELECT
    listed.series_id AS series_id, listed.run AS run, listed.serie AS serie, listed.currency AS currency,
    coalesce(listed.class_dated, listed.class_tac) AS investor_class,
    latest.date AS date, latest.quota AS quota, latest.equity AS equity, latest.shareholders AS shareholders
FROM (SELECT fund_id FROM fund WHERE batch = {batch:UInt64} AND fund_id = {fund_id:UInt32}) AS funds
LEFT JOIN (SELECT * FROM series WHERE batch = {batch:UInt64} AND fund_id = {fund_id:UInt32}) AS listed USING (fund_id)
LEFT JOIN
(
    SELECT series_id, toNullable(date) AS date, quota, equity, shareholders
    FROM series_latest
    WHERE batch = {batch:UInt64}
      AND series_id IN (SELECT series_id FROM series WHERE batch = {batch:UInt64} AND fund_id = {fund_id:UInt32})
) AS latest ON latest.series_id = listed.series_id
ORDER BY serie, series_id
