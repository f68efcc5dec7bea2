package marketpages

import (
	"reflect"
	"testing"

	"cuota/model"
	"cuota/query/market"
)

func TestEachFilterHasWordsInTheForm(t *testing.T) {
	filters := reflect.TypeFor[market.Filters]()
	for i := range filters.NumField() {
		name := filters.Field(i).Tag.Get("query")
		if words := screenerWords[name]; words.label[0] == "" || words.label[1] == "" {
			t.Errorf("the form shows the filter %s by its name: screenerWords lacks a label in both languages", name)
		}
	}
}

func TestEachDatasetHasWordsOnThePageOfData(t *testing.T) {
	for _, of := range model.Datasets {
		if words := datasets[string(of)]; words.name[1] == "" || words.source[1] == "" {
			t.Errorf("the page of the data names neither the dataset %s nor who publishes it", of)
		}
	}
	if len(datasets) != len(model.Datasets) {
		t.Errorf("%d datasets have words, and there are %d", len(datasets), len(model.Datasets))
	}
}
