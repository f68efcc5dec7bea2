-- The mean change of a group, from members that are listed as cuota_covers has them. Null if these are too few.
CREATE OR REPLACE FUNCTION cuota_covered_mean AS
    (changes, whole) -> cuota_covers(changes, whole) ? cuota_weighted_mean(changes) : NULL
