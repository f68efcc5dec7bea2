-- Whether a series is for voluntary pension saving (RULES 7): the association's sheet has it as such (listed), or its
-- investor class is APV. It is null if neither the sheet nor a class states anything.
CREATE OR REPLACE FUNCTION cuota_apv AS
    (listed, class) ->
    multiIf(
        ifNull(listed, false) OR ifNull(toString(class) = 'APV', false), true,
        listed IS NULL AND class IS NULL,                                NULL,
        false)
