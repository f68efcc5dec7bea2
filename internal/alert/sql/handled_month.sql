UPDATE summary_month SET handled_at = $1 WHERE month = $2 AND handled_at IS NULL
