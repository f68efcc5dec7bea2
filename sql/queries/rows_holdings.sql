-- The rows of portfolio_holdings.sql, whose parameters it has, with the names and units of the
-- tables for people: values in full units of the currency of the fund, weights as fractions.
SELECT
    {month:Date} AS month, rows.market AS market, cuota_rol({run:UInt32}) AS run,
    rows.nemotecnico AS symbol, rows.issuer AS issuer, rows.issuer_rut = 0 ? NULL : cuota_rol(rows.issuer_rut) AS issuer_rut, rows.country AS country,
    rows.instrument AS instrument_type,
    toFloat64(toDecimal128(rows.valuation_thousands, 4) * 1000) AS value,
    toFloat64(toDecimal128(rows.percent, 10) / 100)             AS weight
FROM queries.portfolio_holdings AS rows
