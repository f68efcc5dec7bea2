-- One page of the daily values of a series of an investment fund, oldest first. Each row
-- has the number of days before paging. A day whose row could not be read has nulls. An
-- empty page has one row without a date, which carries the total.
--   series_id     number of the series
--   from, to      bounds of the days, both inclusive
--   limit, offset the page
WITH matching AS
(
    SELECT * FROM batch_fi_day(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false)
    WHERE date BETWEEN {from:Date} AND {to:Date}
)
SELECT
    counted.total AS total, page.day AS date, if(page.currency IN ('PESOS', 'DOLAR'), toNullable(page.currency), NULL) AS currency,
    page.book_value AS book_value, page.economic_value AS economic_value, page.equity AS equity, page.total_assets AS total_assets,
    page.contributors AS contributors, page.institutional AS institutional, nullIf(toString(page.agency), '') AS agency
FROM (SELECT count() AS total FROM matching) AS counted
LEFT JOIN
(
    SELECT *, toNullable(date) AS day FROM matching
    ORDER BY date
    LIMIT {limit:UInt32} OFFSET {offset:UInt64}
) AS page ON true
ORDER BY date
