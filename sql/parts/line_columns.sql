-- Which columns of cartola_daily a correction of a line changes, and the day of the line.
    toDate({date:Date})                                                         AS line_day,
    toLastDayOfMonth(line_day)                                                  AS line_month,
    has({columns:Array(String)}, 'quota')                                       AS of_quota,
    has({columns:Array(String)}, 'equity')                                      AS of_equity,
    has({columns:Array(String)}, 'shareholders')                                AS of_shareholders,
    hasAny({columns:Array(String)}, ['units_contributed', 'units_redeemed'])    AS of_flow,
    of_flow OR has({columns:Array(String)}, 'units_outstanding')                AS of_units,
    has({columns:Array(String)}, 'costs')                                       AS of_costs,
    has({columns:Array(String)}, 'distribution_factor')                         AS of_distribution,
    has({columns:Array(String)}, 'adjustment_factor')                           AS of_adjustment,
    of_distribution OR of_adjustment                                            AS of_factor
