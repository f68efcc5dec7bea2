-- The reason why two valid quotes in one currency can't be valued in pesos, or in UF if
-- in_uf is set; null if there is none. It is the first that applies, in the order of RULES
-- 1 (missing before invalid before stale, the end before the start, dollars before UF).
-- Only dollars need the dólar.
CREATE OR REPLACE FUNCTION cuota_rate_reason AS
    (in_uf, in_dollars, end_date, end_fx_date, end_fx, end_uf, start_date, start_fx_date, start_fx, start_uf) ->
    multiIf(
        in_dollars AND end_fx IS NULL,                             'missing_end_fx',
        in_dollars AND start_fx IS NULL,                           'missing_start_fx',
        in_dollars AND ifNull(end_fx <= 0, 0),                     'invalid_end_fx',
        in_dollars AND ifNull(start_fx <= 0, 0),                   'invalid_start_fx',
        in_dollars AND ifNull(end_date - end_fx_date > 7, 0),      'stale_end_fx',
        in_dollars AND ifNull(start_date - start_fx_date > 7, 0),  'stale_start_fx',
        in_uf AND end_uf IS NULL,                                  'missing_end_uf',
        in_uf AND start_uf IS NULL,                                'missing_start_uf',
        in_uf AND ifNull(end_uf <= 0, 0),                          'invalid_end_uf',
        in_uf AND ifNull(start_uf <= 0, 0),                        'invalid_start_uf',
        NULL)
