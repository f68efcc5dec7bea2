-- One page of the instruments of investment funds, sorted by name of the fund and series.
-- Each row has the number of matches before paging. An empty page has one row without a
-- RUN, which carries the total.
--   provider_id      id of the manager, or of one of its names; null: any
--   is_etf           exchange-traded or not, by the curated flag; instruments for which
--                    this is unknown match neither; null: any
--   regulatory_type  FI, RES or FINRE; empty: any
--   status           active, inactive or unknown (RULES 11); all: any
--   searched         a text was searched for
--   found            ids of what it found; without effect unless searched
--   limit, offset    the page
WITH
    matching AS
    (
        SELECT
            instrument_id, series_id, fund_id, run, serie, fund, manager_id, manager, vehicle, regulatory_type, is_etf,
            etf_source_url, etf_source_sha256, status, first_date, last_date, currency, book_value, economic_value,
            equity, total_assets, contributors, institutional, agency
        FROM fi_instrument
        WHERE batch = {batch:UInt64} AND listed
          AND ({provider_id:Nullable(UInt32)} IS NULL OR manager_id = {provider_id:Nullable(UInt32)}
               OR manager_id IN (SELECT manager_id FROM batch_manager_alias(batch = {batch:UInt64}) WHERE alias_id = {provider_id:Nullable(UInt32)}))
          AND ({is_etf:Nullable(Bool)} IS NULL OR is_etf = {is_etf:Nullable(Bool)})
          AND ({regulatory_type:String} = '' OR regulatory_type = {regulatory_type:String})
          AND {status:String} IN ('all', toString(status))
          AND (NOT {searched:Bool} OR instrument_id IN {found:Array(UUID)})
    )
SELECT counted.total AS total, page.*
FROM (SELECT count() AS total FROM matching) AS counted
LEFT JOIN
(
    SELECT * FROM matching
    ORDER BY fund, serie, instrument_id
    LIMIT {limit:UInt32} OFFSET {offset:UInt64}
) AS page ON true
ORDER BY fund, serie, instrument_id
