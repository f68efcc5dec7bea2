package funds

import (
	"context"
	"fmt"
	"time"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"
)

// Article107 gives what a fund's regulation declares about article 107 of the income tax law
// (RULES 10).
var Article107 = operation.Endpoint[operation.FundParams]{
	Path:   "/api/funds/{run}/article107",
	Answer: answerArticle107, FromMemory: article107FromMemory, Parts: []batch.Loader{article107Part},
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

// assessment is a row of article107.sql.
type assessment struct {
	RUN              string     `ch:"run"` // with check digit
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

// article107Of reads the assessment of a fund, or those of all.
func article107Of(ctx context.Context, p operation.Pinned, all bool, run uint32) ([]assessment, error) {
	return operation.Rows[assessment](ctx, p, "article107", sql.Arg("run", run), sql.Arg("all_runs", all), sql.Arg("as_of", p.Today.String()))
}

func answerArticle107(ctx context.Context, r *operation.Request[operation.FundParams]) (httpapi.Reply, error) {
	found, err := article107Of(ctx, r.Pinned, false, uint32(r.Params.RUN.RUN))
	if err != nil {
		return httpapi.Reply{}, err
	}
	if len(found) == 0 {
		return httpapi.Reply{}, httpapi.NotFound("There is no fund of this RUN. GET /api/asset_providers/{provider_id}/conceptual_assets lists those of a manager.")
	}
	return httpapi.JSON(found[0].detail())
}

// heldArticle107 are the replies about all funds by RUN, on the day on which they were read: the freshness of an
// assessment depends on it.
type heldArticle107 struct {
	today   model.Date
	replies map[string][]byte
}

var article107Part = batch.NewOptionalPart("article107", func(ctx context.Context, s batch.Source) (heldArticle107, int, error) {
	p, size := operation.PinnedBy(s), 0
	held := heldArticle107{p.Today, map[string][]byte{}}
	found, err := article107Of(ctx, p, true, 0)
	if err != nil {
		return held, 0, err
	}
	for i := range found {
		body, err := httpapi.Encode(found[i].detail())
		if err != nil {
			return held, 0, fmt.Errorf("encode the assessment of %s: %w", found[i].RUN, err)
		}
		held.replies[found[i].RUN] = body
		size += len(body)
	}
	return held, size, nil
})

func article107FromMemory(r *operation.Request[operation.FundParams]) (httpapi.Reply, bool, error) {
	held, there := article107Part.Of(r.Batch)
	body, known := held.replies[r.Params.RUN.String()]
	if !there || !known || held.today != r.Today {
		return httpapi.Reply{}, false, nil
	}
	return httpapi.Reply{Body: body}, true, nil
}

// detail returns the reply.
func (a *assessment) detail() article107Detail {
	detail := article107Detail{
		RUN: a.RUN, Status: a.Status, Freshness: a.Freshness, Reason: a.Reason,
		AssessedAt: facts.UTC(a.AssessedAt), UpdatedAt: facts.UTC(a.UpdatedAt),
		Source: article107Source{a.Document, a.ObservedDocument, a.URL, a.SHA256, operation.DateOf(a.Deposited), operation.DateOf(a.Modified), facts.UTC(a.FetchedAt)},
		Review: a.article107Review, Disclaimer: article107Disclaimer,
	}
	detail.Review.ReviewedAt = facts.UTC(a.ReviewedAt)
	if a.HasEvidence {
		detail.Evidence = &a.article107Evidence
	}
	return detail
}
