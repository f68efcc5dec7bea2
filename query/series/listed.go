package series

// Listed is a reply that is a list and nothing else.
type Listed[T any] struct {
	Data []T `json:"data"`
}
