package report

import (
	"bytes"
	"fmt"
	"reflect"

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
	return out.String(), nil
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
