import { ApiProperty, OmitType } from '@nestjs/swagger';
import { AMENDMENT_KINDS, AMENDMENT_STATUSES } from '#libs/contexts/subscriptions';
import { BodyExample, BooleanField, IdField, IdListField, ListView, MomentField } from '../http/index.js';
import { QuantitiesField, SubscriptionView, UpcomingInvoiceView } from './subscription.dto.js';

const MAX_PRICES = 100;

const PRORATE =
  'Whether the unused part of fees that were paid in advance is given back, and the rest of the period charged for new ones';

class TermsBody {
  @IdField({
    optional: true,
    description: 'The plan that it goes over to, with the prices of its published version.',
  })
  planId?: string;

  @IdListField({
    max: MAX_PRICES,
    optional: true,
    description: 'Prices to add. One that it has already is brought to its newest version.',
  })
  addPrices?: string[];

  @IdListField({ max: MAX_PRICES, optional: true, description: 'Prices to take away.' })
  removePrices?: string[];

  @QuantitiesField('Units of fees, such as seats. What is not named keeps what it has.')
  quantities?: unknown;
}

/** What is only shown. */
function PreviewField(): PropertyDecorator {
  return BooleanField({
    optional: true,
    description: 'Shows what would be invoiced, line by line, and changes nothing. Default false.',
  });
}

@BodyExample({ addPrices: ['northwind'], prorate: true, preview: true })
export class AmendSubscriptionBody extends TermsBody {
  @BooleanField({ optional: true, description: `${PRORATE}. Default true.` })
  prorate?: boolean;

  @PreviewField()
  preview?: boolean;
}

@BodyExample({ planId: 'northwind', effectiveAt: 'period_end' })
export class ScheduleAmendmentBody extends TermsBody {
  @MomentField({
    optional: true,
    description: 'When it takes effect: an instant, or `period_end`, the default.',
  })
  effectiveAt?: string;

  @BooleanField({ optional: true, description: `${PRORATE}. Default true.` })
  prorate?: boolean;

  @PreviewField()
  preview?: boolean;
}

export class MigrateSubscriptionBody {
  @MomentField({ optional: true, description: 'When: an instant, or `period_end`. Default now.' })
  effectiveAt?: string;

  @BooleanField({ optional: true, description: `${PRORATE}. Default true.` })
  prorate?: boolean;

  @PreviewField()
  preview?: boolean;
}

class AmendedPriceView {
  @ApiProperty() priceId: string;
  @ApiProperty({ type: 'integer' }) version: number;
}

class AmendedQuantityView {
  @ApiProperty() priceId: string;
  @ApiProperty() quantity: number;
}

export class AmendmentView {
  @ApiProperty({ example: 'amd_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ enum: [...AMENDMENT_KINDS] }) type: string;
  @ApiProperty({
    enum: [...AMENDMENT_STATUSES],
    description:
      'When its time came, what it asks for had become impossible (`failed`), or the subscription had it already (`skipped`).',
  })
  status: string;
  @ApiProperty() prorate: boolean;
  @ApiProperty({ format: 'date-time' }) effectiveAt: string;
  @ApiProperty({
    description: 'Whether it is for the end of the period: `effectiveAt` moves with that.',
    example: true,
  })
  atPeriodEnd: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The newer amendment for the same instant that replaced it.',
    example: null,
  })
  replacedBy: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, nullable: true, description: 'The plan that it goes over to, if it does.' })
  planId: string | null;
  @ApiProperty({ type: 'integer', nullable: true }) planVersion: number | null;
  @ApiProperty({ type: [AmendedPriceView] }) addPrices: AmendedPriceView[];
  @ApiProperty({ type: [String] }) removePrices: string[];
  @ApiProperty({ type: [AmendedQuantityView] }) quantities: AmendedQuantityView[];
  @ApiProperty({ type: String, nullable: true, description: 'The invoice that it led to.' })
  invoiceId: string | null;
  @ApiProperty({ type: String, nullable: true }) failureCode: string | null;
  @ApiProperty({ type: String, nullable: true }) failureMessage: string | null;
}

export class AmendmentList extends ListView {
  @ApiProperty({ type: [AmendmentView] }) data: AmendmentView[];
}

class ResultingAmendmentView extends OmitType(AmendmentView, ['id', 'status'] as const) {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null for a preview, which makes none.',
    example: 'amd_01JD0000000000000000000000',
  })
  id: string | null;
  @ApiProperty({ enum: [...AMENDMENT_STATUSES, 'preview'] }) status: string;
}

/** What a change came to, or would come to. */
export class AmendmentResultView {
  @ApiProperty({ description: 'The change as it was decided.' }) amendment: ResultingAmendmentView;
  @ApiProperty({ description: 'As it is afterwards.' }) subscription: SubscriptionView;
  @ApiProperty({
    type: UpcomingInvoiceView,
    nullable: true,
    description: 'What is invoiced for it. Null if that is nothing, or only when its time comes.',
  })
  invoice: UpcomingInvoiceView | null;
}
