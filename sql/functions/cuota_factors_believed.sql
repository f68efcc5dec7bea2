-- Whether the factors that are stated with a quote are believed (RULES 1): a factor de reparto
-- from 1 to 1.5, and a factor de ajuste that is 1, or with which the quota is at most 20 % away
-- from quota_before, the last valid quote before it. Void rows in between do not matter.
CREATE OR REPLACE FUNCTION cuota_factors_believed AS (quota, adjustment, distribution, quota_before) ->
    distribution >= 1 AND distribution <= 1.5
    AND (adjustment = 1 OR ifNull(quota_before > 0 AND abs(toFloat64(quota) * toFloat64(adjustment) / toFloat64(quota_before) - 1) <= 0.2, false))
