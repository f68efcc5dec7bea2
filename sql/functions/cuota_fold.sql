-- Form of a text for comparisons that ignore case and accents (RULES 6).
CREATE OR REPLACE FUNCTION cuota_fold AS (name) ->
    replaceRegexpAll(normalizeUTF8NFD(lowerUTF8(name)), '\\p{Mn}', '')
