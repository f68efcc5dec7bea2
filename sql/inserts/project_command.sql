INSERT INTO project_command (id, rebuild, inspect, asked_at)
