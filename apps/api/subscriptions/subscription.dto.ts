import { ApiProperty } from '@nestjs/swagger';
import { CADENCES, MONTHS, TIMINGS, type Cadence, type Timing } from '#libs/rating';
import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '#libs/subscriptions';
import { BooleanField, ChoiceField, IdField, PageQuery } from '../http/index.js';
import { InvoiceLineView } from '../invoices/invoice.dto.js';
import { PriceConfigView } from '../prices/price-config.dto.js';

export class CreateSubscriptionBody {
  @IdField({ example: 'cust_northwind' })
  customerId: string;

  @IdField({ description: "The plan's id, not its name.", example: 'plan_01JD0000000000000000000000' })
  planId: string;
}

export class CancelSubscriptionBody {
  @BooleanField({
    optional: true,
    description: 'Now, rather than at the end of the current period. Default false.',
  })
  immediately?: boolean;
}

export class SubscriptionQuery extends PageQuery {
  @ChoiceField(SUBSCRIPTION_STATUSES, { optional: true, description: 'Only those with this status.' })
  status?: SubscriptionStatus;

  @IdField({ optional: true, description: 'Only those of this customer.' })
  customer_id?: string;
}

/** A price in the version that the subscription stays on. */
export class SubscribedPriceView {
  @ApiProperty({ example: 'price_01JD0000000000000000000000' }) priceId: string;
  @ApiProperty() version: number;
  @ApiProperty() name: string;
  @ApiProperty() config: PriceConfigView;
  @ApiProperty({ enum: [...CADENCES] }) cadence: Cadence;
  @ApiProperty({ enum: [...TIMINGS] }) timing: Timing;
  @ApiProperty({ type: String, nullable: true }) metricId: string | null;
}

export class SubscriptionView {
  @ApiProperty({ example: 'sub_01JD0000000000000000000000' }) id: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'plan_01JD0000000000000000000000' }) planId: string;
  @ApiProperty({ description: 'The version that it stays on.' }) planVersion: number;
  @ApiProperty() planName: string;
  @ApiProperty({ enum: [...SUBSCRIPTION_STATUSES] }) status: SubscriptionStatus;
  @ApiProperty({ example: 'USD', description: "The plan's; invoices are in it." }) currency: string;
  @ApiProperty({ example: 'UTC', description: 'Whose local calendar cuts the periods.' }) timezone: string;
  @ApiProperty({ enum: Object.keys(MONTHS), description: 'The shortest cadence of its prices.' })
  billingInterval: string;
  @ApiProperty({ format: 'date-time', description: 'What every period is counted from.' }) anchor: string;
  @ApiProperty({ format: 'date-time' }) startedAt: string;
  @ApiProperty({ format: 'date-time' }) currentPeriodStart: string;
  @ApiProperty({ format: 'date-time', description: 'Exclusive.' }) currentPeriodEnd: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it is to end, or ended.',
  })
  cancelAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) canceledAt: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: [SubscribedPriceView] }) prices: SubscribedPriceView[];
}

export class SubscriptionList {
  @ApiProperty({ type: [SubscriptionView] }) data: SubscriptionView[];
}

/** The next invoice, as it would be if nothing more were used. */
export class UpcomingInvoiceView {
  @ApiProperty({ example: 'sub_01JD0000000000000000000000' }) subscriptionId: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: Number, example: 156.1 }) total: number;
  @ApiProperty({ type: [InvoiceLineView] }) lines: InvoiceLineView[];
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time' }) periodEnd: string;
  @ApiProperty({ format: 'date-time', description: 'When it will be issued.' }) billedAt: string;
}
