-- Whether some members of a group are enough to speak for it (RULES 7, coverage): at least three series of two funds,
-- with at least half of the equity of the group. changes are (series, weight, change, RUN, equity) of these members, and
-- whole is the equity of all members. 50_family_long_step leaves out days that can't reach these numbers.
CREATE OR REPLACE FUNCTION cuota_covers AS
    (changes, whole) -> length(changes) >= 3 AND length(arrayDistinct(arrayMap(c -> c.4, changes))) >= 2
                        AND whole > 0 AND 2 * arraySum(c -> c.5, changes) >= whole
