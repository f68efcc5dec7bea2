package funds

import (
	"context"
	"time"
	"unsafe"

	"cuota/internal/httpapi"
	"cuota/model"
	"cuota/query/batch"
	"cuota/query/facts"
	"cuota/query/operation"
	"cuota/sql"
)

// Article107 answers with what a fund's regulation declares about article 107 of the income tax law
// (RULES 10).
var Article107 = operation.Endpoint[operation.FundParams, Assessment]{
	Path: "/api/funds/{run}/article107",
	Find: findArticle107, Known: knownArticle107, Parts: []batch.Loader{article107Part},
}

const article107Disclaimer = "States what the text of the fund's regulation declares about article 107 of the income " +
	"tax law; it is neither tax nor investment advice."

// Assessment is the whole reply of Article107, without a wrapper. A field that no source states is
// null. For a fund that nobody has assessed, every field that can be null is null.
type Assessment struct {
	RUN        string              `json:"run"` // with check digit
	Status     string              `json:"article107RegulationStatus"`
	Freshness  string              `json:"sourceFreshness"`
	Reason     *string             `json:"statusReason"`
	AssessedAt *time.Time          `json:"lastSuccessfulAssessmentAt"`
	UpdatedAt  *time.Time          `json:"updatedAt"`
	Source     AssessedSource      `json:"source"`
	Review     AssessmentReview    `json:"review"`
	Evidence   *AssessmentEvidence `json:"evidence"`
	Disclaimer string              `json:"disclaimer"`
}

// AssessedSource describes two documents: the one that was assessed, and the one last
// seen at the regulator.
type AssessedSource struct {
	DocumentID         *string     `json:"cmfDocumentId"`
	ObservedDocumentID *string     `json:"observedCmfDocumentId"`
	URL                *string     `json:"url"`
	SHA256             *string     `json:"sha256"`
	Deposited          *model.Date `json:"cmfDepositDate"`
	Modified           *model.Date `json:"cmfLastModifiedDate"`
	FetchedAt          *time.Time  `json:"fetchedAt"`
}

// AssessmentReview is what a person decided about an assessment.
type AssessmentReview struct {
	Status     *string    `ch:"review_status" json:"status"`
	ReviewedAt *time.Time `ch:"reviewed_at" json:"reviewedAt"`
	ReviewedBy *string    `ch:"reviewed_by" json:"reviewedBy"`
	Note       *string    `ch:"review_note" json:"note"`
}

// AssessmentEvidence is the clause of the regulation on which the status is based.
type AssessmentEvidence struct {
	Text            *string `ch:"evidence_text" json:"text"`
	Page            *uint32 `ch:"evidence_page" json:"page"`
	Offset          *uint32 `ch:"evidence_offset" json:"offset"` // in characters
	Section         *string `ch:"evidence_section" json:"section"`
	SeriesException bool    `ch:"series_exception" json:"seriesException"` // the clause holds for some series only
	Rule            string  `ch:"rule_id" json:"ruleId"`
	Parser          string  `ch:"parser_version" json:"parserVersion"`
	Classifier      string  `ch:"classifier_version" json:"classifierVersion"`
}

// assessmentRow is a row of article107.sql.
type assessmentRow struct {
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
	AssessmentReview
	AssessmentEvidence
}

// article107Of reads the assessment of a fund, or those of all.
func article107Of(ctx context.Context, p operation.Pinned, all bool, run uint32) ([]assessmentRow, error) {
	return operation.Rows[assessmentRow](ctx, p, "article107", sql.Arg("run", run), sql.Arg("all_runs", all),
		sql.Arg("as_of", p.Today.String()))
}

func findArticle107(ctx context.Context, r *operation.Request[operation.FundParams]) (Assessment, error) {
	found, err := article107Of(ctx, r.Pinned, false, uint32(r.Params.RUN.RUN))
	if err != nil {
		return Assessment{}, err
	}
	if len(found) == 0 {
		return Assessment{}, httpapi.NotFound(
			"There is no fund of this RUN. GET /api/asset_providers/{provider_id}/conceptual_assets lists those of a " +
				"manager.")
	}
	return found[0].reply(), nil
}

// keptArticle107 are the replies about all funds by RUN, on the day on which they were read: the freshness of an
// assessment depends on it.
type keptArticle107 struct {
	today   model.Date
	replies map[string]Assessment
}

var article107Part = batch.NewOptionalPart("article107",
	func(ctx context.Context, s batch.Source) (keptArticle107, int, error) {
		p, size := operation.PinnedBy(s), 0
		kept := keptArticle107{p.Today, map[string]Assessment{}}
		found, err := article107Of(ctx, p, true, 0)
		if err != nil {
			return kept, 0, err
		}
		for i := range found {
			kept.replies[found[i].RUN] = found[i].reply()
			// about half of it is behind pointers
			size += 2*int(unsafe.Sizeof(Assessment{})+unsafe.Sizeof(AssessmentEvidence{})) +
				len(operation.Value(found[i].Text))
		}
		return kept, size, nil
	})

func knownArticle107(r *operation.Request[operation.FundParams]) (Assessment, bool, error) {
	kept, there := article107Part.Of(r.Batch)
	reply, known := kept.replies[r.Params.RUN.String()]
	return reply, there && known && kept.today == r.Today, nil
}

// reply returns the reply about the fund.
func (a *assessmentRow) reply() Assessment {
	reply := Assessment{
		RUN: a.RUN, Status: a.Status, Freshness: a.Freshness, Reason: a.Reason,
		AssessedAt: facts.UTC(a.AssessedAt), UpdatedAt: facts.UTC(a.UpdatedAt),
		Source: AssessedSource{a.Document, a.ObservedDocument, a.URL, a.SHA256, operation.DateOf(a.Deposited),
			operation.DateOf(a.Modified), facts.UTC(a.FetchedAt)},
		Review: a.AssessmentReview, Disclaimer: article107Disclaimer,
	}
	reply.Review.ReviewedAt = facts.UTC(a.ReviewedAt)
	if a.HasEvidence {
		evidence := a.AssessmentEvidence // a copy, which does not keep the row
		reply.Evidence = &evidence
	}
	return reply
}
