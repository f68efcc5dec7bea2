package report

import "cuota/internal/site/locale"

// Language is the language of a report.
type Language = locale.Language

// The languages. The default is Spanish.
const (
	Spanish = locale.Spanish
	English = locale.English
)
