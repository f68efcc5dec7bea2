package query

import (
	"errors"

	"cuota/model"
)

// pathRUN declares the RUN of a fund in the path, with or without check digit, dots and
// spaces. It refuses a wrong check digit (RULES 12).
func pathRUN() param {
	return param{name: "run", in: "path", required: true, read: func(text string) (any, *violation) {
		run, err := model.ParseRUN(text)
		switch {
		case errors.Is(err, model.ErrCheckDigit):
			return nil, &violation{Type: "run_check_digit", Msg: "Must end in the check digit that belongs to the number, or have none"}
		case err != nil:
			return nil, &violation{Type: "run_parsing", Msg: "Must be a RUN of one to eight digits, with or without its check digit, as in 8011-K"}
		}
		return run, nil
	}}
}

func (v values) run() model.RUN {
	run, _ := v["run"].(model.RUN)
	return run
}
