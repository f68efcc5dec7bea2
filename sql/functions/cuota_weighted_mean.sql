-- The mean of changes weighted by the equity before them (RULES 7), of a list of (series, equity,
-- change). Null for the empty list.
CREATE OR REPLACE FUNCTION cuota_weighted_mean AS
    changes -> empty(changes) ? NULL : arraySum(c -> c.2 * c.3, changes) / arraySum(c -> c.2, changes)
