import { ApiProperty, OmitType } from '@nestjs/swagger';
import { AMENDMENT_KINDS, AMENDMENT_STATUSES } from '#libs/contexts/subscriptions';
import {
  BodyExample,
  BooleanField,
  IdField,
  IdListField,
  ListView,
  InstantOrPeriodEndField,
} from '../http/index.js';
import {
  PriceMapField,
  PRICES_LIMIT,
  QuantitiesField,
  SubscriptionView,
  UpcomingInvoiceView,
} from './subscription.dto.js';

const MAX_PRICES = 100;

const PRORATE =
  'Whether the unused part of prepaid fees is given back, and new fees are charged for the rest of the period. A change of the billing ' +
  'interval of an active subscription always does both';

const PRICE_MAP =
  'The price that takes the place of each recurring fee that ends, by the ids of the prices. The units of the old fee go to the new one. ' +
  'Null: no fee takes its place. For a fee that is not listed, it is the fee with the same name. Otherwise it is the only fee with units ' +
  'that begins, if only one fee with units ends. If units would be lost, the change is refused with `price_map_required`.';

class TermsBody {
  @IdField({
    optional: true,
    description:
      "The id of the new plan. The prices of the plan's published version replace the prices of the present plan. Prices that were added " +
      `to the subscription stay, and prices that were removed from it stay away. ${PRICES_LIMIT}`,
  })
  planId?: string;

  @IdListField({
    max: MAX_PRICES,
    optional: true,
    description:
      'The ids of the prices to add. A price that the subscription already has is updated to its newest version. ' +
      PRICES_LIMIT,
  })
  addPrices?: string[];

  @IdListField({ max: MAX_PRICES, optional: true, description: 'The ids of the prices to remove.' })
  removePrices?: string[];

  @QuantitiesField(
    'The number of units of each fee that is charged per unit. A fee that is not listed keeps its quantity. A new fee that is not listed ' +
      'has the units of the fee whose place it takes, or 1 unit. A price for licenses must not be listed, because its seats are counted from the active licenses.',
  )
  quantities?: unknown;

  @PriceMapField(PRICE_MAP)
  priceMap?: unknown;
}

/** Declares the request field `preview`. */
function PreviewField(): PropertyDecorator {
  return BooleanField({
    optional: true,
    description:
      'If true, nothing changes, and the response only shows the lines that would be invoiced. Default false.',
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
  @InstantOrPeriodEndField({
    optional: true,
    description:
      'When the change takes effect: an instant in the next 10 years, or `period_end` (the default). A paused subscription has no period, ' +
      'so it needs an instant.',
  })
  effectiveAt?: string;

  @BooleanField({ optional: true, description: `${PRORATE}. Default true.` })
  prorate?: boolean;

  @PreviewField()
  preview?: boolean;
}

export class MigrateSubscriptionBody {
  @InstantOrPeriodEndField({
    optional: true,
    description:
      'When the change takes effect: an instant in the next 10 years, or `period_end`. Default now. `period_end` is refused for a paused ' +
      'subscription, because it has no period.',
  })
  effectiveAt?: string;

  @BooleanField({ optional: true, description: `${PRORATE}. Default true.` })
  prorate?: boolean;

  @PriceMapField(PRICE_MAP)
  priceMap?: unknown;

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

class FeeReplacementView {
  @ApiProperty({ description: 'The id of the price that ends.', example: 'price_01JD0000000000000000000000' })
  from: string;
  @ApiProperty({
    description: 'The id of the price that takes its place.',
    example: 'price_01JD0000000000000000000001',
  })
  to: string;
}

export class AmendmentView {
  @ApiProperty({ example: 'amd_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ enum: [...AMENDMENT_KINDS] }) type: (typeof AMENDMENT_KINDS)[number];
  @ApiProperty({
    enum: [...AMENDMENT_STATUSES],
    description:
      '`failed`: the change was no longer possible at the time when it was due. `skipped`: at the time of the change, the subscription ' +
      'already had the new terms, or a `migrate` was for a plan that the subscription had left.',
  })
  status: (typeof AMENDMENT_STATUSES)[number];
  @ApiProperty() prorate: boolean;
  @ApiProperty({ format: 'date-time' }) effectiveAt: string;
  @ApiProperty({
    description:
      'Whether the change is for the end of the period. If true, `effectiveAt` moves with the end of the period.',
    example: true,
  })
  atPeriodEnd: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the newer amendment for the same instant that replaced this amendment.',
    example: null,
  })
  replacedBy: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The id of the plan whose version the subscription gets. Null if the plan and its version do not change.',
  })
  planId: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The version of the plan that the subscription gets.',
  })
  planVersion: number | null;
  @ApiProperty({ type: [AmendedPriceView] }) addPrices: AmendedPriceView[];
  @ApiProperty({ type: [String] }) removePrices: string[];
  @ApiProperty({ type: [AmendedQuantityView] }) quantities: AmendedQuantityView[];
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', nullable: true },
    description: 'The `priceMap` of the request.',
    example: {},
  })
  priceMap: Record<string, string | null>;
  @ApiProperty({
    type: [FeeReplacementView],
    description:
      'The fees that take the place of the fees that end. Empty before the change takes effect; the preview of a change shows them.',
  })
  replacements: readonly FeeReplacementView[];
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The id of the invoice for the change. Null if there is no invoice, and before a scheduled change takes effect.',
  })
  invoiceId: string | null;
  @ApiProperty({ type: String, nullable: true }) failureCode: string | null;
  @ApiProperty({ type: String, nullable: true }) failureMessage: string | null;
}

/** An amendment in the export of a customer's data. */
export class ExportedAmendmentView extends AmendmentView {
  @ApiProperty() subscriptionId: string;
}

export class AmendmentList extends ListView {
  @ApiProperty({ type: [AmendmentView] }) data: AmendmentView[];
}

class ResultingAmendmentView extends OmitType(AmendmentView, ['id', 'status'] as const) {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the amendment. Null for a preview, which creates no amendment.',
    example: 'amd_01JD0000000000000000000000',
  })
  id: string | null;
  @ApiProperty({ enum: [...AMENDMENT_STATUSES, 'preview'] }) status:
    (typeof AMENDMENT_STATUSES)[number] | 'preview';
}

/** The result of a change of a subscription, or of the preview of a change. */
export class AmendmentResultView {
  @ApiProperty({ description: 'The change of the subscription.' }) amendment: ResultingAmendmentView;
  @ApiProperty({
    description:
      'The subscription after the change. For a scheduled change, only the preview has the subscription after the change. Without ' +
      '`preview`, the field has the present subscription.',
  })
  subscription: SubscriptionView;
  @ApiProperty({
    type: UpcomingInvoiceView,
    nullable: true,
    description:
      'The invoice for the change. Null if the change bills nothing. For a scheduled change, only the preview has the future invoice. ' +
      'Also null while the SQL of a metric fails. The invoice then follows, with the id in `amendment.invoiceId`.',
  })
  invoice: UpcomingInvoiceView | null;
}
