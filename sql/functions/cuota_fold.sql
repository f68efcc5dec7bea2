-- A text as it is compared where case and accents do not matter (RULES 6).
CREATE OR REPLACE FUNCTION cuota_fold AS (name) ->
    replaceRegexpAll(normalizeUTF8NFD(lowerUTF8(name)), '\\p{Mn}', '')
