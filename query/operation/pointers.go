package operation

// Mapped returns a pointer to f of what p points to, or nil if p is nil.
func Mapped[T, U any](p *T, f func(T) U) *U {
	if p == nil {
		return nil
	}
	return new(f(*p))
}

// Value returns what p points to, or the zero value if p is nil.
func Value[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
