-- How many decimals a decimal number has, without the zeros behind the last: 2 for
-- 1.32 and for 1.320. At most eight are looked at.
CREATE OR REPLACE FUNCTION cuota_decimals AS (number) ->
    length(replaceRegexpOne(splitByChar('.', toDecimalString(number, 8))[2], '0+$', ''))
