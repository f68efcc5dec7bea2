// Package reference is the documentation of the API: the operations of the OpenAPI document with
// their fields and code samples, and guides. It gives them as values for pages, and as Markdown
// for programs.
//
// The guides are the files of the folder guides, one for each language. The texts of operations
// are those of the document, which is in English; texts.es.json has them in Spanish. Markdown of
// operations is in English only.
package reference
