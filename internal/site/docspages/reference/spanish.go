package reference

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"
)

// spanishFile has the Spanish texts of the document by the English ones. It is sorted by them, and
// a text that several places of the document have is there once.
//
//go:embed texts.es.json
var spanishFile []byte

// spanishTexts reads the file once.
var spanishTexts = sync.OnceValues(func() (map[string]string, error) {
	var known map[string]string
	if err := json.Unmarshal(spanishFile, &known); err != nil {
		return nil, fmt.Errorf("read the Spanish texts of the reference: %w", err)
	}
	return known, nil
})
