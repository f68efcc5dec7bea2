-- What a backtest states of its batch.
SELECT
    batch, batch_id, ifNull(as_of_date, toDate(0)) AS cutoff, calculated_at AS published_at,
    lower(hex(SHA256(concat(toString(input_fingerprint), toString(rules))))) AS fingerprint,
    toString(rules) AS rules
FROM batch
WHERE batch = {batch:UInt64}
