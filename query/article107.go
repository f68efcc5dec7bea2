package query

import (
	"context"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/sql"
)

// article107 gives what a fund's regulation declares about article 107 of the income tax law
// (RULES 10).
var article107 = endpoint[fundParams]{
	path:   "/api/funds/{run}/article107",
	answer: answerArticle107,
}

const article107Disclaimer = "States what the text of the fund's regulation declares about article 107 of the income tax law; it is neither tax nor investment advice."

// article107Detail is the whole reply, without a wrapper. A field that no source states is
// null. For a fund that nobody has assessed, every field that can be null is null.
type article107Detail struct {
	RUN        string              `json:"run"` // with check digit
	Status     string              `json:"article107RegulationStatus"`
	Freshness  string              `json:"sourceFreshness"`
	Reason     *string             `json:"statusReason"`
	AssessedAt *time.Time          `json:"lastSuccessfulAssessmentAt"`
	UpdatedAt  *time.Time          `json:"updatedAt"`
	Source     article107Source    `json:"source"`
	Review     article107Review    `json:"review"`
	Evidence   *article107Evidence `json:"evidence"`
	Disclaimer string              `json:"disclaimer"`
}

// article107Source describes two documents: the one that was assessed, and the one last
// seen at the regulator.
type article107Source struct {
	DocumentID         *string     `json:"cmfDocumentId"`
	ObservedDocumentID *string     `json:"observedCmfDocumentId"`
	URL                *string     `json:"url"`
	SHA256             *string     `json:"sha256"`
	Deposited          *model.Date `json:"cmfDepositDate"`
	Modified           *model.Date `json:"cmfLastModifiedDate"`
	FetchedAt          *time.Time  `json:"fetchedAt"`
}

type article107Review struct {
	Status     *string    `ch:"review_status" json:"status"`
	ReviewedAt *time.Time `ch:"reviewed_at" json:"reviewedAt"`
	ReviewedBy *string    `ch:"reviewed_by" json:"reviewedBy"`
	Note       *string    `ch:"review_note" json:"note"`
}

// article107Evidence is the clause of the regulation on which the status is based.
type article107Evidence struct {
	Text            *string `ch:"evidence_text" json:"text"`
	Page            *uint32 `ch:"evidence_page" json:"page"`
	Offset          *uint32 `ch:"evidence_offset" json:"offset"` // in characters
	Section         *string `ch:"evidence_section" json:"section"`
	SeriesException bool    `ch:"series_exception" json:"seriesException"` // the clause holds for some series only
	Rule            string  `ch:"rule_id" json:"ruleId"`
	Parser          string  `ch:"parser_version" json:"parserVersion"`
	Classifier      string  `ch:"classifier_version" json:"classifierVersion"`
}

func answerArticle107(ctx context.Context, r *request[fundParams]) (httpapi.Reply, error) {
	type assessment struct {
		Status           string     `ch:"status"`
		Freshness        string     `ch:"freshness"`
		Reason           *string    `ch:"status_reason"`
		AssessedAt       *time.Time `ch:"assessed_at"`
		UpdatedAt        *time.Time `ch:"updated_at"`
		Document         *string    `ch:"cmf_document_id"`
		ObservedDocument *string    `ch:"observed_cmf_document_id"`
		URL              *string    `ch:"document_url"`
		SHA256           *string    `ch:"document_sha256"`
		Deposited        *time.Time `ch:"cmf_deposit_date"`
		Modified         *time.Time `ch:"cmf_last_modified_date"`
		FetchedAt        *time.Time `ch:"fetched_at"`
		HasEvidence      bool       `ch:"has_evidence"`
		article107Review
		article107Evidence
	}
	found, err := rows[assessment](ctx, r.pinned, "article107", sql.Arg("run", uint32(r.params.RUN.RUN)),
		sql.Arg("as_of", r.today.String()))
	if err != nil {
		return httpapi.Reply{}, err
	}
	if len(found) == 0 {
		return httpapi.Reply{}, httpapi.NotFound("There is no fund of this RUN. GET /api/asset_providers/{provider_id}/conceptual_assets lists those of a manager.")
	}
	a := found[0]
	detail := article107Detail{
		RUN: r.params.RUN.String(), Status: a.Status, Freshness: a.Freshness, Reason: a.Reason,
		AssessedAt: utc(a.AssessedAt), UpdatedAt: utc(a.UpdatedAt),
		Source: article107Source{a.Document, a.ObservedDocument, a.URL, a.SHA256, dateOf(a.Deposited), dateOf(a.Modified), utc(a.FetchedAt)},
		Review: a.article107Review, Disclaimer: article107Disclaimer,
	}
	detail.Review.ReviewedAt = utc(a.ReviewedAt)
	if a.HasEvidence {
		detail.Evidence = &a.article107Evidence
	}
	return httpapi.JSON(detail)
}
