-- What share of the equity that bore them the costs of a day took, with the costs themselves (RULES 2). Costs count
-- nothing if the equity of the calendar day before was not above 0. Null where the day has no rate: one of the three is
-- not known, or no equity bore the costs.
CREATE OR REPLACE FUNCTION cuota_daily_cost AS (bearing, costs, equity_before) ->
    multiIf(bearing IS NULL OR costs IS NULL OR equity_before IS NULL, NULL,
            equity_before <= 0, 0,
            bearing > 0 AND bearing + costs > 0, costs / (bearing + costs),
            NULL)
