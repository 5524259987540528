import { ApiProperty } from '@nestjs/swagger';
import { MIGRATION_STATUSES, OUTCOMES, type OutcomeStatus } from '#libs/contexts/price-migrations';
import {
  BodyExample,
  ChoiceField,
  IdField,
  IdListField,
  LineField,
  ListView,
  MomentField,
  PageQuery,
} from '../http/index.js';

const MAX_CUSTOMERS = 10_000;
const EXAMPLE_PLAN = 'plan_01JD0000000000000000000000';

class MigrationScopeBody {
  @IdField({ example: EXAMPLE_PLAN })
  fromPlanId: string;

  @IdField({ example: EXAMPLE_PLAN, description: 'Whose published version they go over to.' })
  toPlanId: string;

  @IdListField({
    min: 1,
    max: MAX_CUSTOMERS,
    optional: true,
    description: 'Only these customers. Default everybody who is on the plan.',
  })
  customerIds?: string[];
}

export class PreviewPriceMigrationBody extends MigrationScopeBody {
  @MomentField({
    optional: true,
    description:
      'With `period_end`, what it would do at the end of the present period of each subscription. By default, and with an instant, if it were done now.',
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
  @LineField({ max: 200, example: 'Prices of 2027', description: 'What you call it.' })
  name: string;

  @MomentField({
    description:
      'When they are moved: an instant in the future, for everybody who is on the plan then; or `period_end`, for each who is on the plan now the end of the own present period.',
  })
  effectiveAt: string;
}

export class MigrationOutcomeQuery extends PageQuery {
  @ChoiceField(OUTCOMES, { optional: true, description: 'Only those of which it came to this.' })
  status?: OutcomeStatus;
}

class MigrationProgressView {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Subscriptions to move; known once it has begun.',
    example: 12,
  })
  total: number | null;
  @ApiProperty({ type: 'integer', description: 'How many are over.', example: 12 }) processed: number;
  @ApiProperty({ type: 'integer', description: 'How many were moved.', example: 11 }) migrated: number;
  @ApiProperty({ type: 'integer', description: 'Where there was nothing to move any more.', example: 1 })
  skipped: number;
  @ApiProperty({ type: 'integer', description: 'How many could not be moved.', example: 0 }) failed: number;
}

class MigrationActorView {
  @ApiProperty({ enum: ['user', 'api_key', 'system', 'customer'] }) type: string;
  @ApiProperty({ example: 'usr_01JD0000000000000000000000' }) id: string;
}

export class PriceMigrationSummaryView {
  @ApiProperty({ example: 'mig_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ description: 'Its name.', example: 'Prices of 2027' }) name: string;
  @ApiProperty() fromPlanId: string;
  @ApiProperty() toPlanId: string;
  @ApiProperty({ description: 'An instant, or `period_end`.', example: '2026-01-31T00:00:00.000Z' })
  effectiveAt: string;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How many customers it is limited to. Null: everybody who is on the plan then.',
    example: null,
  })
  customerCount: number | null;
  @ApiProperty({
    enum: [...MIGRATION_STATUSES],
    description: '`in_progress` until all that it covers are over.',
  })
  status: string;
  @ApiProperty({ description: 'Who scheduled it.' }) scheduledBy: MigrationActorView;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) startedAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) finishedAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) canceledAt: string | null;
  @ApiProperty() progress: MigrationProgressView;
}

export class PriceMigrationView extends PriceMigrationSummaryView {
  @ApiProperty({ type: [String], nullable: true, description: 'Whom it is limited to.', example: null })
  customerIds: string[] | null;
}

export class PriceMigrationList extends ListView {
  @ApiProperty({ type: [PriceMigrationSummaryView] }) data: PriceMigrationSummaryView[];
}

export class MigrationOutcomeView {
  @ApiProperty() subscriptionId: string;
  @ApiProperty() customerId: string;
  @ApiProperty({ enum: OUTCOMES, description: '`skipped`: there was nothing to move any more.' })
  status: string;
  @ApiProperty({ type: String, nullable: true, description: 'The invoice that the change led to.' })
  invoiceId: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why it was not migrated.' })
  code: string | null;
  @ApiProperty({ type: String, nullable: true }) message: string | null;
}

export class MigrationOutcomeList extends ListView {
  @ApiProperty({ type: [MigrationOutcomeView] }) data: MigrationOutcomeView[];
}

class EffectAmountsView {
  @ApiProperty() currency: string;
  @ApiProperty({ description: 'Fees for a month now.' }) currentAmount: number;
  @ApiProperty({ description: 'Fees for a month afterwards.' }) newAmount: number;
  @ApiProperty({
    description:
      'What is charged for the rest of the present periods, less what coupons take off it and what is given back, if it were done now. With `period_end`, of those periods that go on beyond the billing period.',
  })
  proration: number;
}

class TotalEffectView extends EffectAmountsView {
  @ApiProperty({ type: 'integer', description: 'How many subscriptions have it.', example: 12 })
  subscriptions: number;
}

class CustomerEffectView extends EffectAmountsView {
  @ApiProperty() subscriptionId: string;
  @ApiProperty() customerId: string;
  @ApiProperty({ type: String, nullable: true, description: 'Why it could not be migrated.' })
  code: string | null;
  @ApiProperty({ type: String, nullable: true }) message: string | null;
}

export class MigrationPreviewView {
  @ApiProperty({ type: 'integer', description: 'How many subscriptions it covers.', example: 12 })
  subscriptions: number;
  @ApiProperty({ type: [TotalEffectView], description: 'The total effect, by currency.' })
  totals: TotalEffectView[];
  @ApiProperty({ type: [CustomerEffectView] }) customers: CustomerEffectView[];
}
