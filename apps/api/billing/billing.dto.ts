import { ApiProperty } from '@nestjs/swagger';
import { BILLING_RUN_STATUSES } from '#libs/contexts/billing';
import { IdField, ListView } from '../http/index.js';

export class RunBillingBody {
  @IdField({ optional: true, description: 'Bills only the subscriptions of this customer.' })
  customerId?: string;

  @IdField({
    optional: true,
    description: 'Bills only this subscription. If `customerId` names another customer, nothing is billed.',
  })
  subscriptionId?: string;
}

export class RunTotalView {
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: Number, example: 156.1, description: 'The sum of the invoices in this currency.' })
  total: number;
}

export class RunInvoiceView {
  @ApiProperty({ example: 'inv_01JD0000000000000000000000' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'sub_01JD0000000000000000000000',
    description: 'The id of the subscription. Null if the invoice bills several subscriptions.',
  })
  subscriptionId: string | null;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ type: Number, example: 156.1, description: 'The total of the invoice, with taxes.' })
  total: number;
  @ApiProperty({ example: 'USD' }) currency: string;
}

export class BillingFailureView {
  @ApiProperty({ example: 'sub_01JD0000000000000000000000' }) subscriptionId: string;
  @ApiProperty({
    description: 'The reason for the failure, as a code for programs.',
    example: 'tax_rate_not_found',
  })
  code: string;
  @ApiProperty({
    description: 'The reason for the failure, as a text for people.',
    example: 'No tax rate "tax_1" in this workspace',
  })
  error: string;
}

export class BillingRunView {
  @ApiProperty({ example: 'run_01JD0000000000000000000000' }) id: string;
  @ApiProperty({
    enum: ['manual', 'schedule'],
    description:
      '`manual`: a request started the run. `schedule`: everything that was due at one instant was billed automatically.',
  })
  trigger: 'manual' | 'schedule';
  @ApiProperty({
    enum: [...BILLING_RUN_STATUSES],
    description:
      '`running`: a `manual` run is in progress, or was interrupted and not repeated. `completed_with_errors`: a `manual` run could not ' +
      'bill at least one subscription. A `schedule` run is always `completed`.',
  })
  status: (typeof BILLING_RUN_STATUSES)[number];
  @ApiProperty({ format: 'date-time' }) startedAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time at which a `manual` run ended; null while the run is in progress. For `schedule`, the time of the newest event of the run ' +
      'so far.',
  })
  finishedAt: string | null;
  @ApiProperty({
    description:
      'For `manual`, the number of subscriptions whose due changes the run applied, such as the end of a period. For `schedule`, the number ' +
      'of due changes: a subscription with two changes at the instant counts twice. If a `manual` run was interrupted and ' +
      'repeated, the due changes before the interruption count too.',
    type: 'integer',
    example: 12,
  })
  subscriptions: number;
  @ApiProperty({ type: 'integer', description: 'The number of invoices that the run made.', example: 12 })
  invoiceCount: number;
  @ApiProperty({ type: [RunTotalView], description: 'The totals of the invoices, by currency.' })
  totals: RunTotalView[];
  @ApiProperty({
    type: [RunInvoiceView],
    description:
      'The invoices that the run made. A list of runs shows only the first 100 invoices of each run.',
  })
  invoices: RunInvoiceView[];
  @ApiProperty({
    description:
      'The number of subscriptions that a `manual` run could not bill. The billing of these subscriptions is tried again automatically. ' +
      'Always 0 for `schedule`.',
    type: 'integer',
    example: 0,
  })
  failed: number;
  @ApiProperty({ type: [BillingFailureView], description: 'The first 100 failures.' })
  failures: BillingFailureView[];
}

export class BillingRunList extends ListView {
  @ApiProperty({ type: [BillingRunView] }) data: BillingRunView[];
}

export class ScheduledBillingView {
  @ApiProperty({ example: 'sub_01JD0000000000000000000000' }) subscriptionId: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ format: 'date-time', description: "The start of the subscription's present period." })
  periodStart: string;
  @ApiProperty({
    format: 'date-time',
    description: "The first instant after the subscription's present period.",
  })
  periodEnd: string;
  @ApiProperty({
    enum: ['boundary', 'cancellation', 'pause', 'resumption', 'amendment'],
    description: '`boundary`: the end of a period or a trial, or the start of the subscription.',
  })
  reason: 'boundary' | 'cancellation' | 'pause' | 'resumption' | 'amendment';
  @ApiProperty({ format: 'date-time', description: 'The time when the subscription is billed next.' })
  dueAt: string;
  @ApiProperty({
    description: 'Whether the subscription ends at `dueAt`.',
    example: false,
  })
  final: boolean;
}

export class ScheduledBillingList extends ListView {
  @ApiProperty({ type: [ScheduledBillingView] }) data: ScheduledBillingView[];
}
