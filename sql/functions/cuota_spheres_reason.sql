-- Why a series has no rating by the regulator in a comparator (RULES 3); null if it has one.
-- found is the number of lines of the comparator in force, and later that of later ones. run
-- and spheres are those of the line of the series, and 0 if there is none.
CREATE OR REPLACE FUNCTION cuota_spheres_reason AS
    (found, later, run, spheres) ->
    multiIf(
        found = 0 AND later > 0, 'source_after_requested_date',
        found = 0,               'source_unavailable',
        run = 0,                 'not_in_source',
        spheres = 0,             'not_rated_by_cmf',
        NULL)
