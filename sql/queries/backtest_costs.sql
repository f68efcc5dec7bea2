-- The cost rates of each series of mutual funds, with the day on which each was known
-- (docs/backtests.md, section 2). It has one row for each series. Its columns are one text of the
-- format RowBinary, each an array with an item for each rate, which is read several times faster than rows. A later rate
-- counts before an earlier one of the same month and source. The columns are month; the day on which the rate was
-- known; 1 if it is synthetic; tac_kind; the month from which on a newer real rate counts before a synthetic one; the
-- rate, NaN where a statement takes it back; and the investor class that came with it.
--   part, parts  series whose id leaves the rest {part} when divided by {parts}
--   several      months of which several files state rates (backtest_cost_months.sql)
--   rates        stored_rates, or all_rates if there are such months. A view that is not named is not planned, which takes long.
WITH
    parts.dated_rates
SELECT
    series_id,
    formatRow('RowBinary', groupArray(month), groupArray(known_on), groupArray(synthetic), groupArray(toString(tac_kind)), groupArray(addYears(month, 1)),
              groupArray(ifNull(rate, nan)), groupArray(ifNull(toString(class), ''))) AS columns
FROM
(
    SELECT series_id, month, known_on, kind = 'synthetic' AS synthetic, tac_kind, rate, class
    FROM {rates:Identifier}
    WHERE series_id % {parts:UInt32} = {part:UInt32} AND series_id IN (SELECT series_id FROM series WHERE batch = {batch:UInt64})
    ORDER BY series_id, month, is_stated, label_order DESC, revision, source_sha256, source_line
)
GROUP BY series_id
