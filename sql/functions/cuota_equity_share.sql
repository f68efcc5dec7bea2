-- The share of a group's equity that some members hold, which are listed as cuota_covers has them, as a fraction. Null
-- if the group has no equity.
CREATE OR REPLACE FUNCTION cuota_equity_share AS
    (changes, whole) -> whole > 0 ? toFloat64(arraySum(c -> c.5, changes)) / toFloat64(whole) : NULL
