package model

// BatchesTopic is the Kafka topic that says what each batch consists of. It has one partition, so its order is
// the same for everybody.
const BatchesTopic = "cuota.batches"

// BatchRecord is a message of BatchesTopic: one field is set.
type BatchRecord struct {
	Plan  *BatchPlan  `json:"plan,omitempty"`
	Built *BatchBuilt `json:"built,omitempty"`
}

// MaxPlanFiles is how many files a plan names at most. More files wait for the next plan, so that a plan stays
// below the size of a message.
const MaxPlanFiles = 8000

// MaxPlanCommands is how many commands a plan names at most.
const MaxPlanCommands = 1000

// BatchPlan says what a batch consists of. Whoever has the facts of its files and of those of all plans before
// it builds the same batch (docs/decisions/0079-the-log-plans-batches.md).
type BatchPlan struct {
	Number    uint64   `json:"number" ch:"plan"` // greater than that of every plan before
	ID        string   `json:"id"`               // random
	Previous  uint64   `json:"previous"`         // the last plan that its author knew; 0: none
	PlannedAt int64    `json:"planned_at"`       // Unix ms; the batch is computed as of this moment
	Files     []string `json:"files"`            // their sha256, hex, in the order of publication
	Rebuild   bool     `json:"rebuild"`          // build every day anew
	Rules     string   `json:"rules"`            // sha256 over the statements to compute it with, hex
	Commands  []string `json:"commands"`         // ids of the commands that it carries out
	Copy      string   `json:"copy"`             // name of its author's copy; empty if it has none
}

// BatchBuilt is what a copy says of a batch that it has built and checked, before it publishes it.
type BatchBuilt struct {
	Plan      uint64   `json:"plan"`
	Copy      string   `json:"copy"`      // name of the copy; empty if it has none
	BuiltAt   int64    `json:"built_at"`  // Unix ms; from then on all copies answer from the batch
	Tables    []string `json:"tables"`    // that were summed up; none without a name of a copy
	Checksums []uint64 `json:"checksums"` // one for each table
}
