package marketpages_test

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cuota/internal/site/marketpages"
	"cuota/internal/testkit/isolatedtest"
	"cuota/internal/testkit/longtest"
	"cuota/query"
)

// renaming is a batch in which the names that come from files have marks of direction and Hebrew letters.
type renaming struct{ marketpages.Batch }

const turned = "\u202e\u05e9\u05dc\u05d5\u05dd\u2067"

// fromFiles are the members of replies that hold names from files.
var fromFiles = []string{
	"agf", "fundName", "fundFamily", "fundFamilyDisplay", "fundFamilyStudies", "family", "family_rar", "name", "fund",
	"fund_name", "manager", "administrator",
	"issuer", "instrument", "file", "country", "index_name", "familyRar", "message", "note",
}

func (b renaming) Ask(ctx context.Context, path string, texts url.Values) (any, error) {
	asked := url.Values{}
	for key, values := range texts {
		for _, value := range values {
			asked.Add(key, strings.ReplaceAll(value, turned, ""))
		}
	}
	found, err := b.Batch.Ask(ctx, path, asked)
	if err != nil {
		return nil, err
	}
	return renamed(reflect.ValueOf(found), "").Interface(), nil
}

// renamed returns a copy of what an operation finds, in which the texts from files are turned. member is the name of
// the value in a reply.
func renamed(value reflect.Value, member string) reflect.Value {
	copied := reflect.New(value.Type()).Elem()
	copied.Set(value)
	switch value.Kind() {
	case reflect.String:
		if slices.Contains(fromFiles, member) && value.Len() > 0 {
			copied.SetString(turned + value.String())
		}
	case reflect.Struct:
		for i := range value.NumField() {
			field := value.Type().Field(i)
			if !field.IsExported() && !field.Anonymous || !copied.Field(i).CanSet() {
				continue
			}
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			copied.Field(i).Set(renamed(value.Field(i), cmp.Or(name, field.Name)))
		}
	case reflect.Slice:
		if !value.IsNil() {
			copied.Set(reflect.MakeSlice(value.Type(), value.Len(), value.Len()))
		}
		for i := range value.Len() {
			copied.Index(i).Set(renamed(value.Index(i), member))
		}
	case reflect.Map:
		if !value.IsNil() {
			copied.Set(reflect.MakeMap(value.Type()))
		}
		for _, key := range value.MapKeys() {
			copied.SetMapIndex(key, renamed(value.MapIndex(key), member))
		}
	case reflect.Pointer, reflect.Interface:
		if value.IsNil() {
			return copied
		}
		inner := renamed(value.Elem(), member)
		if value.Kind() == reflect.Interface {
			copied.Set(inner)
			return copied
		}
		copied.Set(reflect.New(value.Type().Elem()))
		copied.Elem().Set(inner)
	}
	return copied
}

func TestNamesFromRightToLeftStandAloneOnEveryPage(t *testing.T) {
	longtest.InTurns(t)
	s := syntheticAs(t, func(s *query.Server) marketpages.Market {
		market := published(s)
		return func() (marketpages.Batch, bool) {
			b, is := market()
			return renaming{b}, is
		}
	})
	pages, named := 0, 0
	for _, of := range s.visits() {
		status, header, page := s.get(of.path)
		if !strings.HasPrefix(header.Get("Content-Type"), "text/html") {
			continue
		}
		if status >= http.StatusInternalServerError {
			t.Errorf("%s: status %d", of.path, status)
		}
		alone, turning := isolatedtest.Find(t, page)
		if len(turning) > 0 {
			t.Errorf("%s: %d names turn the texts around them: %q", of.path, len(turning),
				turning[:min(3, len(turning))])
		}
		if pages++; alone > 0 {
			named++
		}
	}
	if pages < 20 || named < 14 {
		t.Errorf("%d pages, of which %d have names: nothing was walked", pages, named)
	}
}
