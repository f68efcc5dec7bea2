DELETE FROM link_requests
