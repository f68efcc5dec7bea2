-- A name reduced to what sources agree on when they spell it: capitals and
-- digits, accents stripped, everything else gone.
CREATE OR REPLACE FUNCTION cuota_words AS (name) ->
    replaceRegexpAll(normalizeUTF8NFD(upperUTF8(name)), '[^A-Z0-9]', '')
