DELETE FROM link_requests WHERE ends_at <= $1
