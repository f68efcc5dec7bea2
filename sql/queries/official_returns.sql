-- What the newest comparator of the regulator up to a date states of a series, beside our
-- returns: of 1, 3 and 5 years, nominal and real, six rows. No row if no comparator has the series.
SELECT
    reconciled.date AS date, reconciled.years AS years, toString(reconciled.basis) AS basis, reconciled.official_return AS official_return,
    reconciled.price_return AS price_return, reconciled.reinvested_return AS reinvested_return, toString(reconciled.cause) AS cause,
    toString(reconciled.reason) AS reason, reconciled.compared_date AS compared_date
FROM batch_reconciliation(batch = {batch:UInt64}, series = [{series_id:UInt32}], all_series = false) AS reconciled
WHERE reconciled.date <= {as_of:Date}
ORDER BY date DESC, years, basis
LIMIT 6
