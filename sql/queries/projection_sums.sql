-- A checksum over all rows of each projection as a batch sees them, independent of their
-- order. Two batches of the same files have the same checksums.
--   batch  number of the batch
SELECT projection, rows, checksum FROM
(
    SELECT 'series_break' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM series_break WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'day' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM day WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'manager' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM manager WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'fund' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM fund WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'series' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM series WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'series_latest' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM series_latest WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'series_return' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM series_return WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'window_target' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM window_target WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'screener' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM screener WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'series_month' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM series_month WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'tac_month' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM tac_month WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'risk_month' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM risk_month WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'classification' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM classification WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'continuation' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM continuation WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'continued_history' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM continued_history WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'rate' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM rate WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'fi_instrument' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM fi_instrument WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'series_rename' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM series_rename WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'series_label' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM series_label WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'index_day' AS projection, count() AS rows, sum(cityHash64(toString(tuple(* EXCEPT (batch))))) AS checksum FROM index_day WHERE batch = {batch:UInt64}
    UNION ALL SELECT 'market_day', count(), sum(cityHash64(toString(tuple(*)))) FROM market_day_of(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
    UNION ALL SELECT 'family_day', count(), sum(cityHash64(toString(tuple(*)))) FROM family_day_of(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
    UNION ALL SELECT 'family_long_step', count(), sum(cityHash64(toString(tuple(*)))) FROM family_long_step_of(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
    UNION ALL SELECT 'manager_day', count(), sum(cityHash64(toString(tuple(*)))) FROM manager_day_of(batch = {batch:UInt64}, from = '1971-01-01', to = '2149-06-06')
    UNION ALL SELECT 'series_day', count(), sum(cityHash64(toString(tuple(*)))) FROM series_day_of(batch = {batch:UInt64}, series = [], all_series = true)
    UNION ALL SELECT 'fi_day', count(), sum(cityHash64(toString(tuple(*)))) FROM fi_day_of(batch = {batch:UInt64}, series = [], all_series = true)
)
ORDER BY projection
