-- One row for each series of an investment fund and day, for the days that this batch
-- builds. A book value that is not above 0 is not a quote (RULES 1). The other values of
-- the row are kept.
INSERT INTO fi_day
    (series_id, date, build, currency, book_value, economic_value, equity, total_assets, contributors, institutional, agency)
SELECT
    registered.id, date, {batch:UInt64}, cuota_currency(moneda), if(book_value > 0, book_value, NULL), economic_value, equity, total_assets, contributors,
    institutional, agency
FROM batch_investment_value(batch = {batch:UInt64}) AS lines
INNER JOIN (SELECT id, run, serie FROM registry WHERE kind = 'fi_series') AS registered USING (run, serie)
WHERE date IN (SELECT date FROM fi_day_version WHERE build = {batch:UInt64})
