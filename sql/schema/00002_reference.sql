-- +goose Up

CREATE TABLE IF NOT EXISTS reference_category
(
    vocabulary  LowCardinality(String) COMMENT 'Whose word it is: family_rar, family_display or aafm',
    name        String                 COMMENT 'The word, exactly as the source writes it',
    category    LowCardinality(String) COMMENT 'money_market, fixed_income, balanced, equity, structured or other (RULES 6)'
)
ENGINE = MergeTree
ORDER BY (vocabulary, name)
COMMENT 'Families and categories of the sources, and the category that we give them. What is not here is unclassified';

-- Removes rows that an interrupted run of this migration has left.
TRUNCATE TABLE reference_category;
INSERT INTO reference_category (vocabulary, name, category) VALUES
    ('family_rar', 'Accionario america latina', 'equity'),
    ('family_rar', 'Accionario asia emergente', 'equity'),
    ('family_rar', 'Accionario desarrollado', 'equity'),
    ('family_rar', 'Accionario eeuu', 'equity'),
    ('family_rar', 'Accionario emergente', 'equity'),
    ('family_rar', 'Accionario europa desarrollado', 'equity'),
    ('family_rar', 'Accionario nacional', 'equity'),
    ('family_rar', 'Balanceado agresivo', 'balanced'),
    ('family_rar', 'Balanceado conservador', 'balanced'),
    ('family_rar', 'Balanceado moderado', 'balanced'),
    ('family_rar', 'Deuda < 90 dias nacional', 'money_market'),
    ('family_rar', 'Deuda < 90 dias internacional dolar', 'money_market'),
    ('family_rar', 'Deuda < 365 dias internacional', 'fixed_income'),
    ('family_rar', 'Deuda < 365 dias nacional en pesos', 'fixed_income'),
    ('family_rar', 'Deuda < 365 dias nacional en uf', 'fixed_income'),
    ('family_rar', 'Deuda > 365 dias internacional mercados emergentes', 'fixed_income'),
    ('family_rar', 'Deuda > 365 dias internacional mercados emergentes dolar', 'fixed_income'),
    ('family_rar', 'Deuda > 365 dias internacional mercados internacionales', 'fixed_income'),
    ('family_rar', 'Deuda > 365 dias internacional mercados internacionales dolar', 'fixed_income'),
    ('family_rar', 'Deuda > 365 dias nacional inversion en pesos', 'fixed_income'),
    ('family_rar', 'Deuda > 365 dias nacional inversion en uf < 3 anos', 'fixed_income'),
    ('family_rar', 'Deuda > 365 dias nacional inversion en uf > 5 anos', 'fixed_income'),
    ('family_rar', 'Deuda > 365 dias nacional inversion uf > 3 anos y =<5', 'fixed_income'),
    ('family_rar', 'Deuda > 365 dias orig. flex', 'fixed_income'),
    ('family_display', 'Accionario internacional', 'equity'),
    ('family_display', 'Accionario nacional', 'equity'),
    ('family_display', 'Balanceado agresivo', 'balanced'),
    ('family_display', 'Balanceado conservador', 'balanced'),
    ('family_display', 'Balanceado moderado', 'balanced'),
    ('family_display', 'Deuda < 90 dias en dolar', 'money_market'),
    ('family_display', 'Deuda < 90 dias en pesos', 'money_market'),
    ('family_display', 'Deuda < 365 dias', 'fixed_income'),
    ('family_display', 'Deuda > 365 dias', 'fixed_income'),
    ('family_display', 'Estructurados', 'structured'),
    ('family_display', 'Otros', 'other'),
    ('aafm', 'Accionario America Latina', 'equity'),
    ('aafm', 'Accionario Asia Emergente', 'equity'),
    ('aafm', 'Accionario Asia Pacifico', 'equity'),
    ('aafm', 'Accionario Brasil', 'equity'),
    ('aafm', 'Accionario Desarrollado', 'equity'),
    ('aafm', 'Accionario EEUU', 'equity'),
    ('aafm', 'Accionario Emergente', 'equity'),
    ('aafm', 'Accionario Europa Desarrollado', 'equity'),
    ('aafm', 'Accionario Europa Emergente', 'equity'),
    ('aafm', 'Accionario Nacional Large CAP', 'equity'),
    ('aafm', 'Accionario Nacional Otros', 'equity'),
    ('aafm', 'Accionario Pais', 'equity'),
    ('aafm', 'Accionario Países MILA', 'equity'),
    ('aafm', 'Accionario Sectorial', 'equity'),
    ('aafm', 'Balanceado Agresivo', 'balanced'),
    ('aafm', 'Balanceado Conservador', 'balanced'),
    ('aafm', 'Balanceado Moderado', 'balanced'),
    ('aafm', 'Estructurado Accionario', 'structured'),
    ('aafm', 'Estructurado No Accionario', 'structured'),
    ('aafm', 'Fondos de Deuda < 90 Dias Nacional', 'money_market'),
    ('aafm', 'Fondos de Deuda < 90 Dias Internacional, Dolar', 'money_market'),
    ('aafm', 'Fondos de Deuda < 365 Dias Internacional', 'fixed_income'),
    ('aafm', 'Fondos de Deuda < 365 Dias Nacional en UF', 'fixed_income'),
    ('aafm', 'Fondos de Deuda < 365 Dias Nacional en pesos', 'fixed_income'),
    ('aafm', 'Fondos de Deuda > 365 Dias Internacional, Mercados Emergentes', 'fixed_income'),
    ('aafm', 'Fondos de Deuda > 365 Dias Internacional, Mercados Internacionales', 'fixed_income'),
    ('aafm', 'Fondos de Deuda > 365 Dias Nacional, Inversion UF > 3 años y =<5', 'fixed_income'),
    ('aafm', 'Fondos de Deuda > 365 Dias Nacional, Inversion en UF > 5 años', 'fixed_income'),
    ('aafm', 'Fondos de Deuda > 365 Dias Nacional, Inversión en Pesos', 'fixed_income'),
    ('aafm', 'Fondos de Deuda > 365 Dias Nacional, Inversión en UF < 3 años', 'fixed_income'),
    ('aafm', 'Fondos de Deuda > 365 Dias Orig. Flex', 'fixed_income'),
    ('aafm', 'Inversionistas Calificados Accionario Internacional', 'equity'),
    ('aafm', 'Inversionistas Calificados Accionario Nacional', 'equity'),
    ('aafm', 'Inversionistas Calificados Títulos de Deuda', 'fixed_income');

-- +goose Down
DROP TABLE IF EXISTS reference_category;
