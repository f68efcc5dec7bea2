-- One page of the series alive at the cutoff, filtered and sorted. Each row has the number
-- of matches before paging. If the page is empty, rows with position 0 carry only the
-- total. If there are no series at all, there is no row.
--   series             ids to choose from, of renamed series any that they ever had;
--                      empty: all
--   searched           a text was searched for
--   found              ids of what it found; without effect unless searched
--   fund_family, investor_class and further filters are those of parts/screener_filters.sql
--   sort               id, tac, tac_by_kind (each kind of cost rate by itself), cmf_spheres, a
--                      window, or given: the order of series
--   order              asc or desc; series without the value come last in both, and so
--                      do those whose closed month is in a currency that they left
--   limit, offset      the page
WITH
    (
        -- The number of matches, and the ids of the page in order.
        SELECT
        (
            count(),
            arraySlice(
                arrayMap(key -> key.4,
                    arraySort(groupArray((sort_value IS NULL,
                                          if({sort:String} = 'tac_by_kind', indexOf(['synthetic', 'stated', 'computed'], tac_kind), 0),
                                          ifNull(if({order:String} = 'desc', -sort_value, sort_value), 0),
                                          series_id)))),
                {offset:UInt64} + 1, {limit:UInt32})
        )
        FROM
        (
            SELECT
                series_id, tac_kind,
                multiIf({sort:String} = 'id',                toFloat64(series_id),
                        {sort:String} = 'given',             toFloat64(indexOf({series:Array(UInt32)}, series_id)),
                        {sort:String} IN ('tac', 'tac_by_kind'), tac,
                        {sort:String} = 'cmf_spheres',       toFloat64(spheres),
                        {sort:String} = '1m',                return_1m,
                        {sort:String} = '3m',                return_3m,
                        {sort:String} = '6m',                return_6m,
                        {sort:String} = '1y',                return_1y,
                        {sort:String} = 'ytd',               return_ytd,
                        {sort:String} = '3y_ann',            return_3y_ann,
                        {sort:String} = '5y_ann',            return_5y_ann,
                        {sort:String} = 'last_closed_month', if(currency_last_closed_month = currency, return_last_closed_month, NULL),
                        NULL) AS sort_value
            FROM batch_screener(batch = {batch:UInt64})
            WHERE (empty({series:Array(UInt32)}) OR series_id IN {series:Array(UInt32)} OR hasAny(alias_ids, {series:Array(UInt32)}))
              AND (NOT {searched:Bool} OR series_id IN {found:Array(UInt32)})
              AND parts.screener_filters
        )
    ) AS found
SELECT
    found.1 AS total,
    indexOf(found.2, series_id) AS position,
    series_id, fund_id, run, serie, manager, fund, category, family_rar, family_display, family_studies,
    class_dated, classification_date, class_tac, apv, digital, qualified, currency, tac, tac_kind, tac_date,
    price, price_date, daily_change, monthly_change, equity, previous_equity, month_equity, shareholders,
    spheres, spheres_reason, spheres_date, spheres_loaded_at, spheres_sha256,
    volatility_monthly_12m, volatility_monthly_36m, volatility_annualized_12m, volatility_annualized_36m, max_drawdown_36m,
    risk_level, risk_score, risk_date, risk_method_version,
    previous_serie, current_serie, first_current_date, alias_ids,
    [return_1m, return_3m, return_6m, return_1y, return_ytd, return_3y_ann, return_5y_ann, return_last_closed_month] AS returns,
    currency_last_closed_month,
    [toString(reason_1m), toString(reason_3m), toString(reason_6m), toString(reason_1y), toString(reason_ytd),
     toString(reason_3y_ann), toString(reason_5y_ann), toString(reason_last_closed_month)]                          AS reasons,
    [start_1m, start_3m, start_6m, start_1y, start_ytd, start_3y_ann, start_5y_ann, start_last_closed_month]        AS starts,
    [end_1m, end_3m, end_6m, end_1y, end_ytd, end_3y_ann, end_5y_ann, end_last_closed_month]                        AS ends
FROM batch_screener(batch = {batch:UInt64})
WHERE (has(found.2, series_id) OR empty(found.2))
ORDER BY position
LIMIT {limit:UInt32}
