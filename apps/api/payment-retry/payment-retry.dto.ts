import { ApiProperty } from '@nestjs/swagger';
import {
  RETRY_STATES,
  UNPAID_SUBSCRIPTION_ACTIONS,
  UNPAID_INVOICE_ACTIONS,
  type RetryState,
  type UnpaidSubscriptionAction,
  type UnpaidInvoiceAction,
} from '#libs/contexts/invoicing';
import { BooleanField, BodyExample, ChoiceField, IntegerField, IntegerListField } from '../http/index.js';

const INTERVALS = { min: 1, max: 60, minLength: 1, maxLength: 12 };
const descriptions = {
  enabled: 'Whether failed payments are retried, on invoices that are collected automatically.',
  intervalsDays:
    'The days from one attempt to the next: the first element counts from the first failure. There are as many retries as elements.',
  localHour:
    "The hour of the day, 0 to 23, at which retries are made, in the customer's time zone. If null, a retry is made at the same time of " +
    'day as the previous attempt.',
  whenExhausted:
    'What happens to an invoice that is still unpaid when its retries are over: it stays open, or is marked uncollectible.',
  subscription:
    'What happens to the subscriptions of an invoice that is still unpaid when its retries are over. `cancel` ends them at once.',
};

/** The settings to change. A field that is left out stays as it is. */
@BodyExample({ intervalsDays: [2, 4, 7], whenExhausted: 'mark_uncollectible', subscription: 'cancel' })
export class ChangePaymentRetrySettingsBody {
  @BooleanField({ optional: true, description: descriptions.enabled, example: true })
  enabled?: boolean;

  @IntegerListField({
    ...INTERVALS,
    optional: true,
    description: descriptions.intervalsDays,
    example: [1, 3, 5, 7],
  })
  intervalsDays?: number[];

  @IntegerField({
    min: 0,
    max: 23,
    optional: true,
    nullable: true,
    description: descriptions.localHour,
    example: 9,
  })
  localHour?: number | null;

  @ChoiceField(UNPAID_INVOICE_ACTIONS, {
    optional: true,
    description: descriptions.whenExhausted,
    example: 'leave_open',
  })
  whenExhausted?: UnpaidInvoiceAction;

  @ChoiceField(UNPAID_SUBSCRIPTION_ACTIONS, {
    optional: true,
    description: descriptions.subscription,
    example: 'none',
  })
  subscription?: UnpaidSubscriptionAction;
}

export class PaymentRetrySettingsView {
  @ApiProperty({ description: descriptions.enabled, example: true }) enabled: boolean;
  @ApiProperty({
    type: 'array',
    items: { type: 'integer' },
    description: descriptions.intervalsDays,
    example: [1, 3, 5, 7],
  })
  intervalsDays: number[];
  @ApiProperty({ type: 'integer', nullable: true, description: descriptions.localHour, example: null })
  localHour: number | null;
  @ApiProperty({ enum: UNPAID_INVOICE_ACTIONS, description: descriptions.whenExhausted })
  whenExhausted: UnpaidInvoiceAction;
  @ApiProperty({ enum: UNPAID_SUBSCRIPTION_ACTIONS, description: descriptions.subscription })
  subscription: UnpaidSubscriptionAction;
}

class PaymentRetryTotalView {
  @ApiProperty({
    enum: RETRY_STATES,
    description:
      '`scheduled`: a retry is planned. `waiting`: no retry is planned, and the invoice waits for a new payment method or for the ' +
      "customer's confirmation. `exhausted`: still unpaid when the retries were over. `recovered`: a card charge paid the invoice " +
      'after a failed one.',
  })
  state: RetryState;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: 'integer', description: 'The number of invoices.', example: 3 }) invoices: number;
  @ApiProperty({
    description: 'The sum of the amounts due on these invoices; for `recovered`, the amount that was paid.',
    example: 59.97,
  })
  amount: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the earliest planned retry. Null unless the state is `scheduled`.',
  })
  nextAttemptAt: string | null;
}

export class PaymentRetrySummaryView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the earliest planned retry of all invoices. Null if no retry is planned.',
  })
  nextAttemptAt: string | null;
  @ApiProperty({
    type: [PaymentRetryTotalView],
    description: 'The totals of invoices by retry state and currency. A state without invoices is left out.',
  })
  totals: PaymentRetryTotalView[];
}
