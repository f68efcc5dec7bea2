package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// maxArguments bounds the arguments of a call, in bytes.
const maxArguments = 16 << 10

// list is an argument that is a list of texts, or one text.
type list []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *list) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*l = nil
		if one = strings.TrimSpace(one); one != "" {
			*l = list{one}
		}
		return nil
	}
	var many []string
	if err := json.Unmarshal(text, &many); err != nil {
		return errors.New("must be a text or a list of texts")
	}
	*l = many
	return nil
}

// readArguments reads the arguments of a call into a struct. Its error says which argument is wrong, and what may
// stand in its place.
func readArguments(text json.RawMessage, into any) error {
	if len(text) > maxArguments {
		return fmt.Errorf("the arguments have %d bytes, more than %d: ask in several calls", len(text), maxArguments)
	}
	given := map[string]json.RawMessage{}
	if text = bytes.TrimSpace(text); len(text) > 0 {
		if err := json.Unmarshal(text, &given); err != nil {
			return errors.New("the arguments must be one JSON object")
		}
	}
	fields := reflect.ValueOf(into).Elem()
	known := map[string]reflect.Value{}
	var names []string
	for i := range fields.NumField() {
		name, _, _ := strings.Cut(fields.Type().Field(i).Tag.Get("json"), ",")
		known[name], names = fields.Field(i), append(names, name)
	}
	for name, value := range given {
		field, is := known[name]
		if !is {
			return fmt.Errorf("there is no argument %q%s; the arguments are: %s", short(name), suggestion(name, names),
				strings.Join(names, ", "))
		}
		if err := json.Unmarshal(value, field.Addr().Interface()); err != nil {
			if wrong, is := errors.AsType[*json.UnmarshalTypeError](err); is {
				return fmt.Errorf("the argument %s must be %s, not a %s", name, kindOf(field.Kind()), wrong.Value)
			}
			return fmt.Errorf("the argument %s: %w", name, err)
		}
	}
	return nil
}

func kindOf(kind reflect.Kind) string {
	switch kind {
	case reflect.Int:
		return "a whole number"
	case reflect.Map:
		return "an object"
	case reflect.Pointer:
		return "true or false"
	}
	return "a text"
}

// checkDates fails if an argument that is a date is not one.
func checkDates(dates map[string]string) error {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range dates {
			if !yield(name) {
				return
			}
		}
	})
	for _, name := range names {
		text := dates[name]
		if _, err := time.Parse(time.DateOnly, text); text != "" && err != nil {
			return fmt.Errorf("%s: %q is not a date: write YYYY-MM-DD, as in 2025-06-30", name, short(text))
		}
	}
	return nil
}

// checkCount fails unless a number is in its bounds. 0 stands for the default.
func checkCount(name string, number *int, standard, most int) error {
	if *number < 0 || *number > most {
		return fmt.Errorf("%s must be from 1 to %d", name, most)
	}
	if *number == 0 {
		*number = standard
	}
	return nil
}
