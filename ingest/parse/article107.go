package parse

import (
	"errors"

	"cuota/model"
)

// Columns of an assessment that the checks refer to, from 0.
const (
	article107Status     = 1
	article107Assessed   = 3
	article107Review     = 12
	article107Reviewed   = 13
	article107Evidence   = 16 // the first of the eight columns of the clause
	article107ReviewNote = 15
)

// article107Format reads assessments of what regulations declare about article
// 107 of the income tax law (RULES 10).
func article107Format() *format {
	return &format{
		columns: []string{
			"run", "status", "status_reason", "assessed_at", "updated_at", "cmf_document_id",
			"observed_cmf_document_id",
			"url", "sha256", "cmf_deposit_date", "cmf_last_modified_date", "fetched_at", "review_status", "reviewed_at",
			"reviewed_by", "review_note", "evidence_text", "evidence_page", "evidence_offset", "evidence_section",
			"series_exception", "rule_id", "parser_version", "classifier_version",
		},
		key:       []int{0},
		separator: ',',
		ahead:     oneDayAhead,
		parse: func(r *row) (model.Event, model.Date) {
			assessment := &model.Article107{
				Source:             r.source,
				RUN:                r.run(0),
				Status:             r.oneOf(article107Status, "declares_eligible", "declares_not_eligible", "unknown"),
				StatusReason:       r.text(2, 1000),
				AssessedAt:         r.maybeInstant(article107Assessed),
				UpdatedAt:          r.maybeInstant(4),
				DocumentID:         r.name(5),
				ObservedDocumentID: r.name(6),
				DocumentURL:        r.fields[7],
				DocumentSHA256:     r.fields[8],
				Deposited:          r.maybeDay(9),
				LastModified:       r.maybeDay(10),
				FetchedAt:          r.maybeInstant(11),
				ReviewStatus:       r.oneOf(article107Review, "", "pending", "approved", "rejected"),
				ReviewedAt:         r.maybeInstant(article107Reviewed),
				ReviewedBy:         r.name(14),
				ReviewNote:         r.text(article107ReviewNote, 2000),
				Evidence:           r.clause(article107Evidence),
			}
			r.agrees(assessment)
			return assessment, model.Date{}
		},
	}
}

// clause reads the clause. Its columns are all filled or all blank. It returns nil if they are blank.
func (r *row) clause(first int) *model.Clause {
	if allBlank(r.fields[first : first+8]) {
		return nil
	}
	return &model.Clause{
		Text:              r.name(first),
		Page:              r.maybeCount(first + 1),
		Offset:            r.maybeCount(first + 2),
		Section:           r.section(first + 3),
		SeriesException:   r.yes(first + 4),
		RuleID:            r.name(first + 5),
		ParserVersion:     r.name(first + 6),
		ClassifierVersion: r.name(first + 7),
	}
}

// section reads the subsection of a clause. A text that is none is not stated: readers know
// two subsections.
func (r *row) section(column int) string {
	if section := r.word(column, "", "3.1", "3.2"); section == "3.1" || section == "3.2" {
		return section
	}
	return ""
}

// agrees rejects an assessment whose fields contradict each other.
func (r *row) agrees(a *model.Article107) {
	declares := a.Status != "unknown"
	switch {
	case r.err != nil:
	case declares && a.AssessedAt.IsZero():
		r.fail(article107Assessed,
			errors.New("is blank, but the row has a status; give the instant of the assessment, or the status unknown"))
	case declares && a.Evidence == nil:
		r.fail(article107Evidence,
			errors.New("is blank, but the row has a status; give the evidence from the regulation, or the status "+
				"unknown"))
	case a.ReviewStatus == "" && !allBlank(r.fields[article107Reviewed:article107ReviewNote+1]):
		r.fail(article107Review, errors.New(
			"is blank, but the following columns describe a review; give the status of the review"))
	case (a.ReviewStatus == "approved" || a.ReviewStatus == "rejected") && a.ReviewedAt.IsZero():
		r.fail(article107Reviewed, errors.New("is blank, but the review is finished; give its instant"))
	}
}
