-- The latest complete date of a batch on or before a date; null without one.
SELECT maxOrNull(date) AS last_complete FROM day WHERE batch = {batch:UInt64} AND complete AND date <= {date:Date}
