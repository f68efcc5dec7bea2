-- The calendar days on which business days of each currency begin and end, as batch N sees them
-- (RULES 8). Contributions are stated on the business day, and redemptions on the last calendar
-- day before the next one. So a business day begins (opens) where most series with a flow have
-- contributions, and ends (closes) where most of them have redemptions. One series in twenty must
-- have them: single rows of a weekend say nothing of the market. Only mutual funds count.
--   SELECT * FROM batch_flow_direction(batch = 7, from = '2025-07-14', to = '2025-07-20')
CREATE OR REPLACE VIEW batch_flow_direction AS
SELECT
    date, toString(currency) AS currency,
    20 * countIf(units_contributed > 0) >= count()
        AND 2 * countIf(units_contributed > 0) > countIf(units_contributed > 0 OR units_redeemed > 0) AS opens,
    20 * countIf(units_redeemed > 0) >= count()
        AND 2 * countIf(units_redeemed > 0) > countIf(units_contributed > 0 OR units_redeemed > 0)    AS closes
FROM batch_series_day(batch = {batch:UInt64}, series = [], all_series = true)
WHERE date BETWEEN {from:Date} AND {to:Date} AND quota > 0
GROUP BY date, currency
HAVING opens OR closes
