-- A fund's national and foreign positions at the close of a month, summed by type of
-- instrument, the largest first. Valuations are thousands of the fund's currency. A
-- position without a valuation adds nothing.
--   run     RUN of the fund without check digit
--   month   last day of the month
--   market  N national, E foreign, all both
SELECT
    instrument,
    count() AS holdings,
    ifNull(sumIf(valuation_thousands, market = 'N'), 0) AS national,
    ifNull(sumIf(valuation_thousands, market = 'E'), 0) AS foreign,
    sum(percent) AS percent_of_assets
FROM batch_holding(batch = {batch:UInt64}, runs = [{run:UInt32}], all_runs = false)
WHERE month = {month:Date} AND market IN ('N', 'E') AND ({market:String} = 'all' OR market = {market:String})
GROUP BY instrument
ORDER BY percent_of_assets DESC NULLS LAST, national + foreign DESC, instrument
