-- The reason why two quotes give no return; null if there is none. It is the first that
-- applies, in the order of RULES 1, of the reasons that depend on quotes alone. A date of 0
-- means that there is no quote, and a null quota that the row was rejected. breaks are the
-- kinds of discontinuity after the start quote and up to the end quote. If end_judged is
-- false, the quote at the end is not judged.
CREATE OR REPLACE FUNCTION cuota_quote_reason AS
    (end_judged, target_end, end_date, end_quota, end_currency, target_start, start_date, start_quota, start_currency, breaks) ->
    multiIf(
        end_judged AND end_date = toDate(0),                                      'missing_end_quote',
        end_judged AND NOT ifNull(end_quota > 0 AND isFinite(end_quota), 0),      'invalid_end_quote',
        end_judged AND target_end - end_date > 7,                                 'stale_end_quote',
        start_date = toDate(0),                                                   'missing_start_quote',
        NOT ifNull(start_quota > 0 AND isFinite(start_quota), 0),                 'invalid_start_quote',
        target_start - start_date > 7,                                            'stale_start_quote',
        start_currency NOT IN ('PESOS', 'DOLAR')
            OR (end_judged AND end_currency NOT IN ('PESOS', 'DOLAR')),           'unknown_currency',
        has(breaks, 'currency_change'),                                           'currency_change',
        notEmpty(breaks),                                                         'known_discontinuity',
        end_judged AND NOT ifNull(isFinite(end_quota / start_quota), 0),          'non_finite_return',
        NULL)
