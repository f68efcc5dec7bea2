-- A fund's positions at the close of a month, the largest first (RULES 9): by share of the
-- assets, then by valuation, then by nemotécnico. Positions without the figure come last.
-- Equal positions keep the order of their file.
--   run     RUN of the fund without check digit
--   month   last day of the month
--   market  N national, E foreign, all both
SELECT
    market, nullIf(nemotecnico, '') AS nemotecnico, nullIf(issuer, '') AS issuer, issuer_rut, nullIf(toString(country), '') AS country,
    instrument, valuation_thousands, percent
FROM batch_holding(batch = {batch:UInt64}, runs = [{run:UInt32}], all_runs = false) AS held
WHERE month = {month:Date} AND market IN ('N', 'E') AND ({market:String} = 'all' OR market = {market:String})
ORDER BY percent DESC NULLS LAST, valuation_thousands DESC NULLS LAST, held.nemotecnico, market DESC, position
