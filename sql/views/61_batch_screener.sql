-- The rows of the screener of batch N with what it filters by besides: apv, whether the series is for
-- voluntary pension saving, digital and qualified, all null where it is unknown. They are the newest that were
-- stated, even if they are newer than the cutoff. Batches that a program without the table eligibility built
-- know none of them.
--   SELECT * FROM batch_screener(batch = 7) WHERE digital
CREATE OR REPLACE VIEW batch_screener AS
SELECT
    rows.*, cuota_apv(stated.apv, coalesce(rows.class_dated, rows.class_tac)) AS apv,
    stated.digital AS digital, stated.qualified AS qualified
FROM (SELECT * FROM screener WHERE batch = {batch:UInt64}) AS rows
LEFT JOIN eligibility_as_of(batch = {batch:UInt64}, as_of = '2149-06-06') AS stated ON stated.series_id = rows.series_id
SETTINGS join_use_nulls = 0
