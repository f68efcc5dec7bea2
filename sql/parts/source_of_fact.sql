-- Which line of which file states a fact.
revision       DateTime64(3, 'UTC')   COMMENT 'When the source was published, else first seen',
source_sha256  LowCardinality(String) COMMENT 'Hash of the raw file, hex',
source_line    UInt32                 COMMENT 'Line in the raw file, from 1'
