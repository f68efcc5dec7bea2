-- How many decimals a decimal number has, without zeros at the end: 2 for 1.32 and for
-- 1.320. It counts at most eight.
CREATE OR REPLACE FUNCTION cuota_decimals AS (number) ->
    length(replaceRegexpOne(splitByChar('.', toDecimalString(number, 8))[2], '0+$', ''))
