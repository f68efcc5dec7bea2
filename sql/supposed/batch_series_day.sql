-- batch_series_day as it would be if the quotes of the external table supposed (series_id, date, quota, currency)
-- counted on their days. currency is as the file writes it, and quota is null where the row is void. A quota that is
-- not above 0 is void, as in projections/25_series_day.sql. Columns that no price return needs are null on these days.
CREATE OR REPLACE VIEW batch_series_day AS
SELECT *
FROM batch_series_day(batch = {batch:UInt64}, series = {series:Array(UInt32)}, all_series = {all_series:Bool})
    AS stored
WHERE (series_id, date) NOT IN (SELECT series_id, date FROM supposed)
UNION ALL
SELECT
    series_id, date,
    if(ifNull(quota > 0, false), quota, NULL),
    if(ifNull(quota > 0, false), cuota_currency(currency), ''),
    NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL
FROM supposed
WHERE {all_series:Bool} OR series_id IN {series:Array(UInt32)}
