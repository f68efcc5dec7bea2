-- The rows of fi_prices.sql, whose parameters it has, with the series, the currency as ISO writes it and amounts in floating
-- point. An empty page has no row.
SELECT
    {series_id:UInt32} AS series_id, assumeNotNull(rows.date) AS date,
    multiIf(rows.currency = 'PESOS', 'CLP', rows.currency = 'DOLAR', 'USD', NULL) AS currency,
    toFloat64(rows.book_value) AS book_value, toFloat64(rows.economic_value) AS economic_value, toFloat64(rows.equity) AS equity,
    toFloat64(rows.total_assets) AS total_assets, rows.contributors AS contributors, rows.institutional AS institutional, rows.agency AS agency
FROM queries.fi_prices AS rows
WHERE rows.date IS NOT NULL
ORDER BY date
