package series

// Listed is a list without meta.
type Listed[T any] struct {
	Data []T `json:"data"`
}
