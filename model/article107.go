package model

import "time"

// Article107s is the dataset of assessments of what regulations declare about article 107.
const Article107s Dataset = "article107"

// Article107 is one assessment of what a fund's regulation declares about article 107 of
// the income tax law (RULES 10). It reports what the text says and is not tax advice.
// Whether the assessment is still fresh depends on the day of the question, so that is
// not stored.
type Article107 struct {
	Source
	RUN          RUN       `json:"run" validate:"gt=0"`
	Status       string    `json:"status" validate:"oneof=declares_eligible declares_not_eligible unknown"`
	StatusReason string    `json:"status_reason" validate:"max=1000"`
	AssessedAt   time.Time `json:"assessed_at,omitzero"` // instant of the last assessment that succeeded
	UpdatedAt    time.Time `json:"updated_at,omitzero"`
	// the regulation that was assessed
	DocumentID string `json:"cmf_document_id" validate:"max=200"`
	// the regulation last seen at the regulator
	ObservedDocumentID string    `json:"observed_cmf_document_id" validate:"max=200"`
	DocumentURL        string    `json:"document_url" validate:"omitempty,http_url,max=2048"`
	DocumentSHA256     string    `json:"document_sha256" validate:"omitempty,sha256"`
	Deposited          Date      `json:"cmf_deposit_date,omitzero"`
	LastModified       Date      `json:"cmf_last_modified_date,omitzero"`
	FetchedAt          time.Time `json:"fetched_at,omitzero"`
	// empty: not reviewed
	ReviewStatus string    `json:"review_status" validate:"omitempty,oneof=pending approved rejected"`
	ReviewedAt   time.Time `json:"reviewed_at,omitzero"`
	ReviewedBy   string    `json:"reviewed_by" validate:"max=200"`
	ReviewNote   string    `json:"review_note" validate:"max=2000"`
	// Evidence is the clause that the status rests on. It is nil when there is none; the
	// status is then unknown.
	Evidence *Clause `json:"evidence,omitempty" ch:"-"`
}

// Key returns the fund's RUN with its check digit.
func (a Article107) Key() string { return a.RUN.String() }

// Row implements Stored.
func (a Article107) Row() any {
	row := article107Row{Article107: a, HasEvidence: a.Evidence != nil}
	if a.Evidence != nil {
		row.Clause = *a.Evidence
	}
	return row
}

// article107Row has the columns of the clause in every row. They are empty if there is no
// clause.
type article107Row struct {
	Article107
	HasEvidence bool `json:"has_evidence"`
	Clause
}

// Clause is the part of a regulation that an assessment rests on.
type Clause struct {
	Text string `json:"text" ch:"evidence_text" validate:"required,max=20000"`
	// page of the document, from 1
	Page   *uint32 `json:"page,omitempty" ch:"evidence_page"`
	Offset *uint32 `json:"offset,omitempty" ch:"evidence_offset"` // in characters
	// subsection of the article's number 3; empty: not stated
	Section string `json:"section" ch:"evidence_section" validate:"omitempty,oneof=3.1 3.2"`
	// true: the clause holds for some series only
	SeriesException bool `json:"series_exception"`
	// the rule of the classifier that matched
	RuleID string `json:"rule_id" validate:"required,max=100"`
	// version of the program that read the document
	ParserVersion string `json:"parser_version" validate:"required,max=100"`
	// version of the program that classified the text
	ClassifierVersion string `json:"classifier_version" validate:"required,max=100"`
}
