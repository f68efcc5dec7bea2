-- Whether a series of a mutual fund is current on a day (RULES 7, which series are alive): it was quoted at least once,
-- its newest row is at most 7 days old, the register does not say that its fund had ended, and none of the other ends of
-- the series (an exchange, or an end that a person stated) lies after that row.
CREATE OR REPLACE FUNCTION cuota_series_current AS (quoted, newest, day, fund_ended, other_ends) ->
    quoted AND day - newest <= 7
    AND (fund_ended IS NULL OR fund_ended > day)
    AND NOT arrayExists(ended -> ended > newest AND ended <= day, other_ends)
