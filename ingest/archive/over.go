package archive

// Over returns an archive in dir that also sees the notes of a, so that it judges a file as a would, apart from the
// limit on all payloads together. It keeps payloads and notes in dir, and never writes into a.
func (a *Archive) Over(dir string) *Archive {
	over := New(dir, a.now)
	over.limit, over.under = a.limit, a
	return over
}
