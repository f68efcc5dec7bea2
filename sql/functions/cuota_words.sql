-- Form of a name for comparing sources that spell it differently: only capital letters and
-- digits, without accents.
CREATE OR REPLACE FUNCTION cuota_words AS (name) ->
    replaceRegexpAll(normalizeUTF8NFD(upperUTF8(name)), '[^A-Z0-9]', '')
