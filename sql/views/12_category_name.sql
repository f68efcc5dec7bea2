-- Families and categories of the sources, and the category that we give them (RULES 6). What is
-- not here is unclassified. vocabulary says whose word it is: family_rar, family_display or aafm.
-- name is the word, exactly as the source writes it.
--   SELECT * FROM category_name WHERE vocabulary = 'family_rar'
CREATE OR REPLACE VIEW category_name AS
SELECT vocabulary, arrayJoin(names) AS name, category
FROM values('vocabulary String, category String, names Array(String)',
    ('family_rar', 'equity', [
        'Accionario america latina', 'Accionario asia emergente', 'Accionario desarrollado', 'Accionario eeuu',
        'Accionario emergente', 'Accionario europa desarrollado', 'Accionario nacional']),
    ('family_rar', 'balanced', ['Balanceado agresivo', 'Balanceado conservador', 'Balanceado moderado']),
    ('family_rar', 'money_market', ['Deuda < 90 dias nacional', 'Deuda < 90 dias internacional dolar']),
    ('family_rar', 'fixed_income', [
        'Deuda < 365 dias internacional', 'Deuda < 365 dias nacional en pesos', 'Deuda < 365 dias nacional en uf',
        'Deuda > 365 dias internacional mercados emergentes',
        'Deuda > 365 dias internacional mercados emergentes dolar',
        'Deuda > 365 dias internacional mercados internacionales',
        'Deuda > 365 dias internacional mercados internacionales dolar',
        'Deuda > 365 dias nacional inversion en pesos', 'Deuda > 365 dias nacional inversion en uf < 3 anos',
        'Deuda > 365 dias nacional inversion en uf > 5 anos',
        'Deuda > 365 dias nacional inversion uf > 3 anos y =<5', 'Deuda > 365 dias orig. flex']),
    ('family_display', 'equity', ['Accionario internacional', 'Accionario nacional']),
    ('family_display', 'balanced', ['Balanceado agresivo', 'Balanceado conservador', 'Balanceado moderado']),
    ('family_display', 'money_market', ['Deuda < 90 dias en dolar', 'Deuda < 90 dias en pesos']),
    ('family_display', 'fixed_income', ['Deuda < 365 dias', 'Deuda > 365 dias']),
    ('family_display', 'structured', ['Estructurados']),
    ('family_display', 'other', ['Otros']),
    ('aafm', 'equity', [
        'Accionario America Latina', 'Accionario Asia Emergente', 'Accionario Asia Pacifico', 'Accionario Brasil',
        'Accionario Desarrollado', 'Accionario EEUU', 'Accionario Emergente', 'Accionario Europa Desarrollado',
        'Accionario Europa Emergente', 'Accionario Nacional Large CAP', 'Accionario Nacional Otros',
        'Accionario Pais', 'Accionario Países MILA', 'Accionario Sectorial',
        'Inversionistas Calificados Accionario Internacional', 'Inversionistas Calificados Accionario Nacional']),
    ('aafm', 'balanced', ['Balanceado Agresivo', 'Balanceado Conservador', 'Balanceado Moderado']),
    ('aafm', 'structured', ['Estructurado Accionario', 'Estructurado No Accionario']),
    ('aafm', 'money_market', [
        'Fondos de Deuda < 90 Dias Nacional', 'Fondos de Deuda < 90 Dias Internacional, Dolar']),
    ('aafm', 'fixed_income', [
        'Fondos de Deuda < 365 Dias Internacional', 'Fondos de Deuda < 365 Dias Nacional en UF',
        'Fondos de Deuda < 365 Dias Nacional en pesos',
        'Fondos de Deuda > 365 Dias Internacional, Mercados Emergentes',
        'Fondos de Deuda > 365 Dias Internacional, Mercados Internacionales',
        'Fondos de Deuda > 365 Dias Nacional, Inversion UF > 3 años y =<5',
        'Fondos de Deuda > 365 Dias Nacional, Inversion en UF > 5 años',
        'Fondos de Deuda > 365 Dias Nacional, Inversión en Pesos',
        'Fondos de Deuda > 365 Dias Nacional, Inversión en UF < 3 años', 'Fondos de Deuda > 365 Dias Orig. Flex',
        'Inversionistas Calificados Títulos de Deuda']))
