package httpapi

// Resource is an item of a reply (JSON:API). A is the type of its attributes.
type Resource[A any] struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	Attributes A      `json:"attributes"`
}

// NewResource makes an item.
func NewResource[A any](id, kind string, attributes A) Resource[A] {
	return Resource[A]{id, kind, attributes}
}

// Items is a reply of items without meta.
type Items[A any] struct {
	Data []Resource[A] `json:"data"`
}

// Item is a reply of one item.
type Item[A any] struct {
	Data Resource[A] `json:"data"`
}
