package httpapi

// Resource is one item of a reply: id, type and attributes (RULES 13).
type Resource struct {
	ID         string `json:"id"`
	Type       string `json:"type"`
	Attributes any    `json:"attributes"`
}

// NewResource makes an item.
func NewResource(id, kind string, attributes any) Resource { return Resource{id, kind, attributes} }

// Items is a reply of items without meta.
type Items struct {
	Data []Resource `json:"data"`
}

// Item is a reply of one item.
type Item struct {
	Data Resource `json:"data"`
}
