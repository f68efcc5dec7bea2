-- No value is outside of its possible range, and none is missing without a reason.
SELECT format('series {} window {}: value {} and reason {}, expected a finite value above -1, or a reason', toString(series_id), window, ifNull(toString(value), 'null'), ifNull(toString(reason), 'null')) AS violation
FROM series_return
WHERE batch = {batch:UInt64}
  AND ((value IS NULL) = (reason IS NULL) OR NOT ifNull(isFinite(value) AND value > -1, true))
LIMIT 10
UNION ALL
SELECT format('series {}: spheres {} and reason {}, expected 1 to 5, or a reason', toString(series_id), ifNull(toString(spheres), 'null'), ifNull(toString(spheres_reason), 'null'))
FROM series
WHERE batch = {batch:UInt64}
  AND ((spheres IS NULL) = (spheres_reason IS NULL) OR NOT ifNull(spheres BETWEEN 1 AND 5, true))
LIMIT 10
UNION ALL
SELECT format('series {}: TAC {} is not a fraction from 0 to 1', toString(series_id), ifNull(toString(tac), 'null'))
FROM series
WHERE batch = {batch:UInt64} AND NOT ifNull(tac BETWEEN 0 AND 1, true)
LIMIT 10
