-- From now on a month has a summary. handled_at: nobody is to be mailed.
INSERT INTO summary_month (month, found_at, handled_at) VALUES ($1, $2, $3) ON CONFLICT (month) DO NOTHING
