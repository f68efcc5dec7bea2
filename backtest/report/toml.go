package report

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unicode"

	"github.com/BurntSushi/toml"

	"cuota/backtest"
)

// strategyTOML writes a strategy as the file that it can be read from. Fields with the zero value,
// which is their default, are left out; pointers to a zero value are not.
func strategyTOML(s backtest.Strategy) (string, error) {
	var out bytes.Buffer
	if err := writeFields(&out, reflect.ValueOf(s)); err != nil {
		return "", fmt.Errorf("write the strategy as TOML: %w", err)
	}
	return visible(out.String()), nil
}

// visible writes characters that are not shown, such as marks that turn the direction of writing,
// with their numbers. All strings of the encoder are basic strings, which have such escapes.
func visible(text string) string {
	var out strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) || r == '\n' {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, `\U%08X`, r)
		}
	}
	return out.String()
}

// writeFields writes the fields in their order, and then the structs among them as tables.
func writeFields(out *bytes.Buffer, of reflect.Value) error {
	var tables []int
	for i := range of.NumField() {
		field := of.Field(i)
		name := of.Type().Field(i).Tag.Get("toml")
		switch {
		case field.IsZero(), field.Kind() == reflect.Slice && field.Len() == 0:
			continue
		case field.Kind() == reflect.Struct && field.Type().PkgPath() == of.Type().PkgPath():
			tables = append(tables, i)
			continue
		case field.Kind() == reflect.Pointer:
			field = field.Elem()
		}
		encoder := toml.NewEncoder(out)
		if err := encoder.Encode(map[string]any{name: field.Interface()}); err != nil {
			return fmt.Errorf("field %s: %w", name, err)
		}
	}
	for _, i := range tables {
		fmt.Fprintf(out, "\n[%s]\n", of.Type().Field(i).Tag.Get("toml"))
		if err := writeFields(out, of.Field(i)); err != nil {
			return err
		}
	}
	return nil
}
