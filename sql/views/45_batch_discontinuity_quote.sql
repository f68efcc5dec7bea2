-- The rows of series_day, or of an investment fund's days, before which a series breaks, so
-- that no return spans the step from the previous row to this one. Adjustments are not
-- included. A curated discontinuity may be on a day without a quote. It then breaks the
-- series before the next row.
--   SELECT * FROM batch_discontinuity_quote(batch = 7)
CREATE OR REPLACE VIEW batch_discontinuity_quote AS
SELECT DISTINCT series_id, date
FROM discontinuity
WHERE batch = {batch:UInt64} AND kind NOT IN ('adjustment', 'curated')
UNION DISTINCT
SELECT series_id, min(quotes.date) AS date
FROM (SELECT series_id, date AS since FROM discontinuity WHERE batch = {batch:UInt64} AND kind = 'curated') AS curated
INNER JOIN
(
    SELECT series_id, date FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
    WHERE series_id IN (SELECT series_id FROM discontinuity WHERE batch = {batch:UInt64} AND kind = 'curated')
    UNION ALL
    SELECT series_id, date FROM batch_fi_quote(batch = {batch:UInt64}, series = [], all_series = true)
    WHERE series_id IN (SELECT series_id FROM discontinuity WHERE batch = {batch:UInt64} AND kind = 'curated')
) AS quotes USING (series_id)
WHERE quotes.date >= since
GROUP BY series_id, since
