package kafka

// Connections is how many connections are open.
func (s *Server) Connections() int64 { return s.guard.active.Load() }

// Full reports whether writes are refused because the log is full.
func (s *Server) Full() bool { return s.capacity.full.Load() }
