package parse

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-playground/validator/v10"
	"github.com/shopspring/decimal"

	"cuota/ingest/excerpt"
	"cuota/model"
)

// eventValidator checks events against the `validate` tags of their structs. Parsing has
// already rejected nearly everything that it would find, with a clearer reason. It
// ensures that nothing is published that breaks a tag.
type eventValidator struct{ rules *validator.Validate }

func newEventValidator() *eventValidator {
	rules := validator.New(validator.WithRequiredStructEnabled())
	rules.RegisterTagNameFunc(func(field reflect.StructField) string {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		return name
	})
	for tag, rule := range decimalRules {
		register(rules, tag, func(field validator.FieldLevel) bool {
			// The address is used because a copy in an interface costs an allocation.
			switch value := field.Field().Addr().Interface().(type) {
			case *decimal.Decimal:
				return rule(*value)
			case *decimal.NullDecimal:
				return !value.Valid || rule(value.Decimal)
			}
			return false
		})
	}
	// The built-in rule of this name is a regular expression, which took a tenth of the
	// time for a row.
	register(rules, "sha256", func(field validator.FieldLevel) bool {
		sum := field.Field().String()
		return len(sum) == 64 && strings.Trim(sum, "0123456789abcdef") == ""
	})
	// A name without letters and digits could be that of any fund.
	register(rules, "words", func(field validator.FieldLevel) bool { return model.Words(field.Field().String()) != "" })
	return &eventValidator{rules: rules}
}

func register(rules *validator.Validate, tag string, rule validator.Func) {
	if err := rules.RegisterValidation(tag, rule); err != nil {
		panic(err) // an empty tag or a nil rule: a mistake in this file
	}
}

// decimalRules are the tags of the events' decimals. A null passes all of them.
var decimalRules = map[string]func(decimal.Decimal) bool{
	"quota":    func(d decimal.Decimal) bool { return quotaShape.holds(d) },
	"amount":   func(d decimal.Decimal) bool { return amountShape.holds(d) },
	"charge":   func(d decimal.Decimal) bool { return chargeShape.holds(d) },
	"factor":   func(d decimal.Decimal) bool { return d.IsPositive() && factorShape.holds(d) },
	"units":    func(d decimal.Decimal) bool { return unitsShape.holds(d) },
	"weight":   func(d decimal.Decimal) bool { return weightShape.holds(d) },
	"rate":     func(d decimal.Decimal) bool { return returnShape.holds(d) },
	"percent":  func(d decimal.Decimal) bool { return !d.IsNegative() && d.LessThanOrEqual(hundred) },
	"positive": decimal.Decimal.IsPositive,
	"unsigned": func(d decimal.Decimal) bool { return !d.IsNegative() },
}

var hundred = decimal.New(100, 0)

// holds reports whether the shape's storage holds the number exactly.
func (s shape) holds(d decimal.Decimal) bool {
	if d.IsNegative() && !s.signed {
		return false
	}
	if exponent := d.Exponent(); -exponent > int32(s.decimals) || exponent > int32(s.integers) {
		return false
	}
	return d.NumDigits()+int(d.Exponent()) <= s.integers
}

// check returns an error for the first tag that the event breaks. The event is a
// pointer.
func (v *eventValidator) check(event model.Event) error {
	err := v.rules.Struct(event)
	if err == nil {
		return nil
	}
	var broken validator.ValidationErrors
	if !errors.As(err, &broken) {
		return fmt.Errorf("validate the row: %w", err)
	}
	first := broken[0]
	rule := first.Tag()
	if first.Param() != "" {
		rule += " " + first.Param()
	}
	return fmt.Errorf("%s is %s, which breaks the rule %q; compare the row with the source", first.Field(),
		excerpt.Quoted(fmt.Sprint(first.Value())), rule)
}
