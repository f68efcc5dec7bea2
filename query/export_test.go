package query

// Operation is what tests may know of the table of operations.
type Operation struct {
	Method, Path string
	Keyed        bool
	Params       []Param
}

// Param is what tests may know of a declared parameter.
type Param struct {
	Name, In string
	Required bool
	Fallback any
}

// Operations gives the table that a server routes by.
func Operations() []Operation {
	var list []Operation
	for _, op := range (&Server{}).operations() {
		public := Operation{Method: op.method, Path: op.path, Keyed: op.access != open}
		for _, p := range op.params {
			public.Params = append(public.Params, Param{p.name, p.in, p.required, p.fallback})
		}
		list = append(list, public)
	}
	return list
}
