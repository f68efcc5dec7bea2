package projector

// WaitsFor gives, for each projection, the names of the projections that must end before it
// begins.
func WaitsFor() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	list := steps()
	for _, s := range list {
		before := map[string]bool{}
		for _, place := range s.after {
			before[list[place].Name] = true
			for name := range all[list[place].Name] {
				before[name] = true
			}
		}
		all[s.Name] = before
	}
	return all
}
