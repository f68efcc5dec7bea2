package projector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/segmentio/kafka-go"
	"github.com/shopspring/decimal"

	"cuota/model"
	"cuota/sql"
)

// Nearly all events are quotas, so they have code of their own: it decodes without
// reflection and gives the driver whole columns.

// consumeQuotas does for the topic of the cartola what consumeFacts does for the others.
func (p *Projector) consumeQuotas(ctx context.Context, messages []kafka.Message) error {
	quotas := make([]model.Quota, 0, len(messages))
	var refused [][]any
	for _, message := range messages {
		var quota model.Quota
		err := decodeQuota(message.Value, &quota)
		if err == nil {
			err = storable(&quota)
		}
		if err != nil {
			refused = append(refused, refusedRow(message, err, p.now()))
			continue
		}
		quotas = append(quotas, quota)
	}
	if err := p.insertQuotas(ctx, quotas); err != nil {
		return err
	}
	return p.refuse(ctx, refused)
}

// storable fails if a quota can never become a fact.
func storable(q *model.Quota) error {
	if err := sourced(q.Source); err != nil {
		return err
	}
	var e exact
	e.decimal(q.Quota, quotaScale)
	for _, amount := range []*decimal.Decimal{
		&q.Equity, &q.TotalAssets, &q.UnitsOutstanding, &q.UnitsContributed, &q.UnitsRedeemed, &q.FixedFee, &q.VariableFee,
		&q.AffectedExpenses, &q.UnaffectedExpenses, &q.SubscriptionFee, &q.RedemptionFee,
	} {
		e.decimal(*amount, amountScale)
	}
	e.nullable(q.AdjustmentFactor, factorScale)
	e.nullable(q.DistributionFactor, factorScale)
	return e.err
}

// insertQuotas is insert for quotas.
func (p *Projector) insertQuotas(ctx context.Context, quotas []model.Quota) error {
	if len(quotas) == 0 {
		return nil
	}
	return whenQuorumIsFree(ctx, func() error { return p.insertQuotasOnce(ctx, quotas) })
}

func (p *Projector) insertQuotasOnce(ctx context.Context, quotas []model.Quota) error {
	batch, err := p.conn.PrepareBatch(ctx, sql.Insert("quota"))
	if err != nil {
		return fmt.Errorf("prepare an insert: %w", err)
	}
	for i, appendTo := range quotaColumns {
		if err := appendTo(batch.Column(i), quotas); err != nil {
			return errors.Join(fmt.Errorf("append column %d to an insert: %w", i+1, err), batch.Abort())
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("insert %d rows: %w", len(quotas), err)
	}
	return nil
}

// quotaColumns are the columns of the insert statement, in its order.
var quotaColumns = []func(driver.BatchColumn, []model.Quota) error{
	column(func(q *model.Quota) uint32 { return uint32(q.RUN) }),
	column(func(q *model.Quota) string { return q.Serie }),
	column(func(q *model.Quota) time.Time { return q.Date.Time() }),
	column(func(q *model.Quota) time.Time { return revision(q.Source) }),
	column(func(q *model.Quota) string { return q.SHA256 }),
	column(func(*model.Quota) bool { return false }), // void
	column(func(q *model.Quota) uint32 { return q.Line }),
	column(func(q *model.Quota) uint32 { return uint32(q.ManagerRUT) }),
	column(func(q *model.Quota) string { return q.Manager }),
	column(func(q *model.Quota) string { return q.Currency }),
	column(func(q *model.Quota) decimal.Decimal { return q.Quota }),
	column(func(q *model.Quota) decimal.Decimal { return q.Equity }),
	column(func(q *model.Quota) decimal.Decimal { return q.TotalAssets }),
	column(func(q *model.Quota) decimal.Decimal { return q.UnitsOutstanding }),
	column(func(q *model.Quota) decimal.Decimal { return q.UnitsContributed }),
	column(func(q *model.Quota) decimal.Decimal { return q.UnitsRedeemed }),
	column(func(q *model.Quota) uint32 { return q.Shareholders }),
	column(func(q *model.Quota) uint32 { return q.Institutional }),
	column(func(q *model.Quota) bool { return q.InstitutionalFund }),
	column(func(q *model.Quota) bool { return q.PensionFund }),
	column(func(q *model.Quota) bool { return q.InvestsInFunds }),
	column(func(q *model.Quota) decimal.Decimal { return q.FixedFee }),
	column(func(q *model.Quota) decimal.Decimal { return q.VariableFee }),
	column(func(q *model.Quota) decimal.Decimal { return q.AffectedExpenses }),
	column(func(q *model.Quota) decimal.Decimal { return q.UnaffectedExpenses }),
	column(func(q *model.Quota) decimal.Decimal { return q.SubscriptionFee }),
	column(func(q *model.Quota) decimal.Decimal { return q.RedemptionFee }),
	column(func(q *model.Quota) *decimal.Decimal { return pointer(&q.AdjustmentFactor) }),
	column(func(q *model.Quota) *decimal.Decimal { return pointer(&q.DistributionFactor) }),
}

// column makes a function that appends a value of each quota to a column.
func column[T any](of func(*model.Quota) T) func(driver.BatchColumn, []model.Quota) error {
	return func(to driver.BatchColumn, quotas []model.Quota) error {
		values := make([]T, len(quotas))
		for i := range quotas {
			values[i] = of(&quotas[i])
		}
		return to.Append(values)
	}
}

// pointer gives nil for null, because the driver writes nil as NULL.
func pointer(d *decimal.NullDecimal) *decimal.Decimal {
	if !d.Valid {
		return nil
	}
	return &d.Decimal
}
