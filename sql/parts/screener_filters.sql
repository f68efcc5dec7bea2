-- The filters of the screener, on rows of batch_screener:
--   fund_family        familia_rar, whatever case; empty: any
--   investor_class     class valid at the cutoff, else the one dated with the
--                      TAC, whatever case; empty: any
--   currency           PESOS or DOLAR; empty: any
--   category           category, whatever case; empty: any
--   administrator      part of the manager's name, whatever case and accents; empty: any
--   cmf_family         familia_rar exactly; empty: any
--   cmf_investor_type  class valid at the cutoff exactly; empty: any
--   tac_kind           synthetic, stated or computed: which quantity the cost rate is;
--                      leaves out series without one; empty: any
--   cmf_spheres_min, cmf_spheres_max   bounds that leave out series without a
--                      rating; null: none
--   held               whether shareholders and equity are above zero; leaves out series of
--                      which it is unknown; null: any
--   apv                whether the series is for voluntary pension saving; null: any
--   digital            whether the regulator marks the series as digital; null: any
--   qualified          whether the association has the series in a category for qualified
--                      investors; null: any. Each of these three leaves out series of which it
--                      is unknown
({fund_family:String} = '' OR lowerUTF8(family_rar) = lowerUTF8({fund_family:String}))
AND ({investor_class:String} = '' OR lowerUTF8(coalesce(class_dated, class_tac)) = lowerUTF8({investor_class:String}))
AND ({currency:String} = '' OR currency = {currency:String})
AND ({category:String} = '' OR lowerUTF8(category) = lowerUTF8({category:String}))
AND ({administrator:String} = ''
     OR position(replaceRegexpAll(normalizeUTF8NFD(lowerUTF8(manager)), '\\p{Mn}', ''), replaceRegexpAll(normalizeUTF8NFD(lowerUTF8({administrator:String})), '\\p{Mn}', '')) > 0)
AND ({cmf_family:String} = '' OR family_rar = {cmf_family:String})
AND ({cmf_investor_type:String} = '' OR class_dated = {cmf_investor_type:String})
AND ({tac_kind:String} = '' OR tac_kind = {tac_kind:String})
AND ({held:Nullable(Bool)} IS NULL OR (shareholders > 0 AND equity > 0) = {held:Nullable(Bool)})
AND ({cmf_spheres_min:Nullable(UInt8)} IS NULL OR spheres >= {cmf_spheres_min:Nullable(UInt8)})
AND ({cmf_spheres_max:Nullable(UInt8)} IS NULL OR spheres <= {cmf_spheres_max:Nullable(UInt8)})
AND ({apv:Nullable(Bool)} IS NULL OR apv = {apv:Nullable(Bool)})
AND ({digital:Nullable(Bool)} IS NULL OR digital = {digital:Nullable(Bool)})
AND ({qualified:Nullable(Bool)} IS NULL OR qualified = {qualified:Nullable(Bool)})
