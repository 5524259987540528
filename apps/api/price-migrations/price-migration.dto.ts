import { ApiProperty } from '@nestjs/swagger';
import {
  MIGRATION_STATUSES,
  SUBSCRIPTION_MOVE_STATUSES,
  type SubscriptionMoveStatus,
} from '#libs/contexts/price-migrations';
import {
  BodyExample,
  ChoiceField,
  IdField,
  IdListField,
  SingleLineField,
  ListView,
  InstantOrPeriodEndField,
  PageQuery,
} from '../http/index.js';
import { PriceMapField, PRICES_LIMIT } from '../subscriptions/subscription.dto.js';

const MAX_CUSTOMERS = 10_000;
const EXAMPLE_PLAN = 'plan_01JD0000000000000000000000';

class MigrationScopeBody {
  @IdField({ example: EXAMPLE_PLAN })
  fromPlanId: string;

  @IdField({
    example: EXAMPLE_PLAN,
    description: `The id of the new plan. The subscriptions move to its published version. ${PRICES_LIMIT}`,
  })
  toPlanId: string;

  @IdListField({
    min: 1,
    max: MAX_CUSTOMERS,
    optional: true,
    description:
      'Limits the migration to these customers. Default: all customers who are on the plan. A migration can be scheduled only if its ids ' +
      'have at most 900,000 characters in total, as JSON.',
  })
  customerIds?: string[];

  @PriceMapField(
    'The price of the new plan that takes the place of each recurring fee that ends, by the ids of the prices. The units of the old fee go ' +
      'to the new one. Null: no fee takes its place. A subscription whose units would be lost without an entry is not moved, with the code ' +
      '`price_map_required`. Entries for prices that a subscription does not have are passed over.',
  )
  priceMap?: unknown;
}

export class PreviewPriceMigrationBody extends MigrationScopeBody {
  @InstantOrPeriodEndField({
    optional: true,
    description:
      'With `period_end`, the preview shows the effect at the end of the present period of each subscription. If the field is left out ' +
      'or is an instant, the preview shows the effect of a move now.',
  })
  effectiveAt?: string;
}

@BodyExample({
  name: 'Prices of 2027',
  fromPlanId: EXAMPLE_PLAN,
  toPlanId: EXAMPLE_PLAN.replace(/0$/, '1'),
  effectiveAt: 'period_end',
})
export class SchedulePriceMigrationBody extends MigrationScopeBody {
  @SingleLineField({ max: 200, example: 'Prices of 2027', description: 'A name for the migration.' })
  name: string;

  @InstantOrPeriodEndField({
    description:
      'When the subscriptions move. A future instant moves all subscriptions that are on the old plan at that instant. `period_end` ' +
      'moves each subscription that is on the plan now, at the end of its own present period.',
  })
  effectiveAt: string;
}

export class MigrationOutcomeQuery extends PageQuery {
  @ChoiceField(SUBSCRIPTION_MOVE_STATUSES, {
    optional: true,
    description: 'Selects subscriptions with this outcome.',
  })
  status?: SubscriptionMoveStatus;
}

class MigrationProgressView {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The number of subscriptions to move. The number is null until the migration has begun.',
    example: 12,
  })
  total: number | null;
  @ApiProperty({
    type: 'integer',
    description: 'The number of subscriptions whose outcome is known.',
    example: 12,
  })
  processed: number;
  @ApiProperty({ type: 'integer', description: 'The number of subscriptions that were moved.', example: 11 })
  migrated: number;
  @ApiProperty({
    type: 'integer',
    description:
      'The number of subscriptions that needed no move, for example because they had left the old plan.',
    example: 1,
  })
  skipped: number;
  @ApiProperty({
    type: 'integer',
    description: 'The number of subscriptions that could not be moved.',
    example: 0,
  })
  failed: number;
}

class MigrationActorView {
  @ApiProperty({ enum: ['user', 'api_key', 'system', 'customer'] }) type:
    'user' | 'api_key' | 'system' | 'customer';
  @ApiProperty({ example: 'usr_01JD0000000000000000000000' }) id: string;
}

export class PriceMigrationSummaryView {
  @ApiProperty({ example: 'mig_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ description: 'The name of the migration.', example: 'Prices of 2027' }) name: string;
  @ApiProperty() fromPlanId: string;
  @ApiProperty() toPlanId: string;
  @ApiProperty({
    description: 'When the subscriptions move: an instant, or `period_end`.',
    example: '2026-01-31T00:00:00.000Z',
  })
  effectiveAt: string;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'The number of customers to which the migration is limited. If null, the migration moves all customers who are on the plan when ' +
      'it begins.',
    example: null,
  })
  customerCount: number | null;
  @ApiProperty({
    enum: [...MIGRATION_STATUSES],
    description:
      '`in_progress`: from the start until all covered subscriptions have an outcome. `completed_with_errors`: at least one subscription ' +
      'could not be moved.',
  })
  status: (typeof MIGRATION_STATUSES)[number];
  @ApiProperty({ description: 'The user, API key or process that scheduled the migration.' })
  scheduledBy: MigrationActorView;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) startedAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finishedAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) canceledAt: string | null;
  @ApiProperty() progress: MigrationProgressView;
}

export class PriceMigrationView extends PriceMigrationSummaryView {
  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      'The ids of the customers to which the migration is limited. If null, the migration includes all customers.',
    example: null,
  })
  customerIds: string[] | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', nullable: true },
    description: 'The `priceMap` of the request.',
    example: {},
  })
  priceMap: Record<string, string | null>;
}

export class PriceMigrationList extends ListView {
  @ApiProperty({ type: [PriceMigrationSummaryView] }) data: PriceMigrationSummaryView[];
}

export class MigrationOutcomeView {
  @ApiProperty() subscriptionId: string;
  @ApiProperty() customerId: string;
  @ApiProperty({
    enum: SUBSCRIPTION_MOVE_STATUSES,
    description:
      '`skipped`: the subscription needed no move. It had left the old plan or ended, it already had the terms of the new plan, or it ' +
      'came to the old plan after a migration for `period_end` was scheduled.',
  })
  status: (typeof SUBSCRIPTION_MOVE_STATUSES)[number];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the invoice for the change of plan. Null if there is no invoice.',
  })
  invoiceId: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The reason why the subscription was not moved, as a code for programs. Null if there is none. `internal_error`: the move failed on ' +
      'our side for an hour. The migration went on without the subscription.',
  })
  code: string | null;
  @ApiProperty({ type: String, nullable: true }) message: string | null;
}

export class MigrationOutcomeList extends ListView {
  @ApiProperty({ type: [MigrationOutcomeView] }) data: MigrationOutcomeView[];
}

class EffectAmountsView {
  @ApiProperty() currency: string;
  @ApiProperty({
    description:
      'The present recurring fees for a month, without coupons and taxes. A yearly fee counts with a twelfth.',
  })
  currentAmount: number;
  @ApiProperty({
    description:
      'The recurring fees for a month after the migration. For a subscription that cannot be moved, its present fees.',
  })
  newAmount: number;
  @ApiProperty({
    description:
      'The charge of fees if the subscriptions moved now, less coupons and amounts that are given back. The charge has the fees for the ' +
      'rest of the present periods, new one-time fees, and old fees in arrears up to now. The charge is negative if more is given back ' +
      'than charged. With `period_end`, the charge is only for fees whose own period continues after the billing period, such as annual fees.',
  })
  proration: number;
}

class TotalEffectView extends EffectAmountsView {
  @ApiProperty({
    type: 'integer',
    description: 'The number of previewed subscriptions with this currency.',
    example: 12,
  })
  subscriptions: number;
}

class CustomerEffectView extends EffectAmountsView {
  @ApiProperty() subscriptionId: string;
  @ApiProperty() customerId: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The reason why the subscription could not be moved, as a code for programs. Null if the subscription can be moved.',
  })
  code: string | null;
  @ApiProperty({ type: String, nullable: true }) message: string | null;
}

export class MigrationPreviewView {
  @ApiProperty({ type: 'integer', description: 'The number of covered subscriptions.', example: 12 })
  subscriptions: number;
  @ApiProperty({ type: [TotalEffectView], description: 'The total effect, by currency.' })
  totals: TotalEffectView[];
  @ApiProperty({ type: [CustomerEffectView] }) customers: CustomerEffectView[];
}
