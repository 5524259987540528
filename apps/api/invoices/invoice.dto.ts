import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ListView } from '../http/index.js';
import {
  INVOICE_KINDS,
  INVOICE_STATUSES,
  PAYMENT_REFUND_STATUSES,
  RETRY_END_REASONS,
  type PaymentRefund,
  type RetryEndReason,
} from '#libs/contexts/invoicing';
import { CustomFieldView } from '../http/index.js';
import { InvoiceLineView } from './invoice-line.dto.js';
import { RecordedPaymentView } from './recorded-payment.dto.js';

export class DiscountView {
  @ApiProperty({ example: 'red_01JD0000000000000000000000' }) redemptionId: string;
  @ApiProperty({ example: 'WELCOME10' }) couponId: string;
  @ApiProperty({ example: 'Welcome', description: 'The name, which invoices print.' }) name: string;
  @ApiProperty({ description: 'The discount of the coupon. Each line shows its part.' }) amount: number;
  @ApiProperty({
    required: false,
    example: 'inv_01HZX3…',
    description:
      'The id of the earlier invoice that used the coupon on a fee that this invoice gives back. The amount is at most the ' +
      'unused part of the earlier discount. A common invoice has such a discount for each subscription, also of the same ' +
      'coupon. Absent if this invoice uses the coupon.',
  })
  carriedFrom?: string;
}

export class TaxView {
  @ApiProperty({ example: 'tax_01JD0000000000000000000000' }) taxRateId: string;
  @ApiProperty({ example: 'VAT', description: 'The name, which invoices print.' }) name: string;
  @ApiProperty({ example: 19 }) percentage: number;
  @ApiProperty({
    description: 'Whether the lines already contain the tax. If false, the tax is added to the lines.',
  })
  inclusive: boolean;
  @ApiProperty({
    description:
      'The sum of the lines with this rate, after coupons and without any tax. The sum is below zero if the lines give back more than ' +
      'they charge.',
    example: 20,
  })
  taxable: number;
  @ApiProperty({ description: 'The tax on all lines with this rate. The tax is rounded once.' })
  amount: number;
}

export class CreditsUsedView {
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    example: 'AI credits',
    description: 'The name of the credit type, which the invoice prints.',
  })
  creditTypeName: string;
  @ApiProperty({
    example: 'met_01JD0000000000000000000000',
    description: 'The id of the metric whose usage cost the credits.',
  })
  metricId: string;
  @ApiProperty({ example: 'Tokens', description: 'The name of the metric, which the invoice prints.' })
  metricName: string;
  @ApiProperty({ example: 950, description: 'The number of credits.' }) credits: number;
}

export class InvoiceRetriesView {
  @ApiProperty({ type: 'integer', description: 'The number of retries that were made.', example: 1 })
  made: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the next retry. Null if no retry is planned.',
  })
  nextAttemptAt: string | null;
  @ApiProperty({
    type: String,
    enum: [...RETRY_END_REASONS, null],
    nullable: true,
    description:
      'The reason why no further retry is planned. `exhausted`: the last retry failed. `final_decline`: this card will always be ' +
      'declined. `action_required`: the customer must confirm the payment. `no_payment_method`: a retry was due, and the customer had ' +
      'no payment method or was deleted. `amount_too_small`, `amount_too_large`, `amount_not_chargeable`: the amount cannot be charged. Null while a retry is planned, if a retry was still planned when the ' +
      'invoice was paid, voided or written off, and if no retry settings apply any more.',
    example: null,
  })
  ended: RetryEndReason | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time until which Countinghouse waits for a new payment method, if no further retry is planned. Null otherwise, and if the ' +
      'invoice is not open.',
    example: null,
  })
  givesUpAt: string | null;
  @ApiProperty({
    description:
      'Whether the invoice was still unpaid at `givesUpAt`, so that `whenExhausted` of the retry settings was applied.',
    example: false,
  })
  gaveUp: boolean;
}

export class PaymentRefundView {
  @ApiProperty({
    example: 'inv_01HZX3…',
    description: 'The id of the later invoice that gave the amount back.',
  })
  byInvoiceId: string;
  @ApiProperty() amount: number;
  @ApiProperty({
    enum: PAYMENT_REFUND_STATUSES,
    example: 'succeeded',
    description:
      '`pending` until the payment gateway has accepted the refund. `refused`: the gateway refused it for good. `failed`: it failed ' +
      "after the gateway had accepted it. The amount of a refund that was refused or failed goes to the customer's balance.",
  })
  status: PaymentRefund['status'];
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      'The reason why the payment gateway refused the refund, or why the refund failed. Null otherwise.',
  })
  refusal: string | null;
  @ApiProperty({
    example: 0,
    description:
      'The part of `amount` that was given back at the payment processor itself, by a refund in its dashboard or a lost dispute. This ' +
      'part is not refunded again.',
  })
  refundedAtProcessor: number;
}

class PaymentDisputeView {
  @ApiProperty({
    example: 'du_1PexampleDispute',
    description: "The id that the payment processor uses, such as Stripe's.",
  })
  id: string;
  @ApiProperty({ example: 'pay_01HZX3…', description: 'The payment attempt that is disputed.' })
  attemptId: string;
  @ApiProperty({ example: 49 }) amount: number;
  @ApiProperty({
    example: 'fraudulent',
    description: 'The reason for the dispute, in the words of the payment processor.',
  })
  reason: string;
  @ApiProperty({
    example: 'needs_response',
    description:
      'The status of the dispute, in the words of the payment processor. The status is recorded when the dispute is first reported and ' +
      'when it is closed; steps in between do not change it. With the status `lost`, the money stays with the customer.',
  })
  status: string;
  @ApiProperty({
    format: 'date-time',
    description: 'The time at which the payment processor reported the dispute.',
  })
  openedAt: string;
  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description:
      'The time at which the payment processor reported the decision on the dispute. Null while the bank has not decided.',
  })
  closedAt: string | null;
  @ApiProperty({
    example: 0,
    description:
      'The part of `amount` that had been given back before, by a credit note or a later invoice. It takes the place of a refund that ' +
      "was not made yet, or is taken off the customer's balance as far as the balance holds it.",
  })
  alreadyGivenBack: number;
  @ApiProperty({
    example: 0,
    description: "The part of `alreadyGivenBack` that was taken off the customer's balance.",
  })
  takenBack: number;
}

class GatewayRefundView {
  @ApiProperty({
    example: 're_1PexampleRefund',
    description: "The id that the payment processor uses, such as Stripe's.",
  })
  id: string;
  @ApiProperty({ example: 'pay_01HZX3…', description: 'The payment attempt that was refunded.' })
  attemptId: string;
  @ApiProperty({ example: 49 }) amount: number;
  @ApiProperty({
    enum: ['succeeded', 'failed'],
    example: 'succeeded',
    description:
      '`failed`: the customer did not get the money, so the money is back at the payment processor.',
  })
  status: 'succeeded' | 'failed';
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The reason why the refund failed. Null if the refund did not fail.',
  })
  failure: string | null;
  @ApiProperty({
    example: 0,
    description:
      'The part of `amount` that had been given back before, by a credit note or a later invoice. It takes the place of a refund that ' +
      "was not made yet, or is taken off the customer's balance as far as the balance holds it.",
  })
  alreadyGivenBack: number;
  @ApiProperty({
    example: 0,
    description: "The part of `alreadyGivenBack` that was taken off the customer's balance.",
  })
  takenBack: number;
}

export class InvoiceView {
  @ApiProperty({ example: 'inv_01HZX3…' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'INV-000042',
    description:
      'The number of the invoice, which is assigned when the invoice is opened. Null for a draft, and for an invoice that was voided ' +
      'as a draft.',
  })
  number: string | null;
  @ApiProperty() customerId: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The id of the subscription. Null for an invoice that bills several subscriptions, and for the kinds `manual`, `credit_purchase` ' +
      'and `overage`.',
  })
  subscriptionId: string | null;
  @ApiProperty({
    type: [String],
    description:
      'The ids of all subscriptions that the invoice bills. Empty for the kinds `manual`, `credit_purchase` and `overage`.',
    example: ['sub_01JD0000000000000000000000'],
  })
  subscriptionIds: string[];
  @ApiProperty({
    enum: [...INVOICE_KINDS],
    description:
      '`interim`: bills usage of a period before the period ends, on request. `progressive`: made when the usage of the period reached a ' +
      'billing threshold. `credit_purchase`: the customer buys prepaid credits. `overage`: usage that no credits covered, when no other ' +
      'invoice is due.',
  })
  kind: (typeof INVOICE_KINDS)[number];
  @ApiProperty({ type: String, nullable: true }) memo: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'PO-2026-0815',
    description: "The number of the customer's purchase order.",
  })
  poNumber: string | null;
  @ApiProperty({
    type: [CustomFieldView],
    description: 'The custom fields that the invoice prints.',
  })
  customFields: CustomFieldView[];
  @ApiProperty({ enum: INVOICE_STATUSES }) status: (typeof INVOICE_STATUSES)[number];
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ description: 'The sum of the lines.' }) subtotal: number;
  @ApiProperty({ type: [DiscountView] }) discounts: DiscountView[];
  @ApiProperty({ type: [TaxView] }) taxes: TaxView[];
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The reason for the tax exemption. Null if there is none.',
  })
  taxExemptReason: string | null;
  @ApiProperty() total: number;
  @ApiProperty({
    description:
      "The part of the total that the customer's balance paid when the invoice was opened. Below zero, it is what the invoice collects of " +
      'earlier invoices that were carried to it. Later payments from the balance are in `payments`.',
  })
  balanceApplied: number;
  @ApiProperty({
    description:
      'The amount by which the invoice gives back more than it charges. The amount first reduces the amount due of the invoices that ' +
      "charged it. The rest is added to the customer's balance, unless `excessTo` is `refund`.",
  })
  balanceCredited: number;
  @ApiProperty() amountDue: number;
  @ApiProperty({
    description:
      'The amount that card charges and `payments` have paid. The amount does not include reversed payments, and the part of a payment ' +
      'above the amount due. Refunds and disputes do not lower the amount.',
    example: 0,
  })
  amountPaid: number;
  @ApiProperty({
    type: [RecordedPaymentView],
    description:
      'The payments outside the payment gateway, and the payments from the balance after the invoice was opened, oldest first. Card ' +
      'charges are listed as payment attempts.',
  })
  payments: RecordedPaymentView[];
  @ApiProperty({
    description:
      'The amount by which later invoices reduced the amount due of this invoice, because they gave back more than they charged.',
    example: 0,
  })
  amountReduced: number;
  @ApiProperty({
    enum: ['balance', 'refund'],
    description:
      'Where `balanceCredited` goes after it has reduced unpaid invoices. `refund`: to the cards that paid, and only the rest to the balance.',
  })
  excessTo: 'balance' | 'refund';
  @ApiProperty({
    type: [PaymentRefundView],
    description:
      "The refunds of the invoice's payment that later invoices caused, because they gave back more than they charged.",
  })
  refunds: PaymentRefundView[];
  @ApiProperty({
    type: [PaymentDisputeView],
    description:
      "The disputes of the invoice's payments, in which the customer's bank asks for the money back.",
  })
  disputes: PaymentDisputeView[];
  @ApiProperty({
    type: [GatewayRefundView],
    description:
      "The refunds of the invoice's payments that somebody made directly at the payment processor. The list also has failed refunds of " +
      'successful charges that the invoice did not need. Such charges are not recorded as payments.',
  })
  gatewayRefunds: GatewayRefundView[];
  @ApiProperty({ description: 'The sum of the credit notes on the invoice that are not void.', example: 0 })
  amountCredited: number;
  @ApiProperty({ type: [InvoiceLineView] }) lines: InvoiceLineView[];
  @ApiProperty({
    type: [CreditsUsedView],
    description:
      'The prepaid credits that usage has cost since the last invoice that shows credits. Prepaid credits are already paid, so they ' +
      'have no amount and are in no total. Empty if no credits were used. Usage that credits did not cover is in lines of the type ' +
      '`overage`.',
  })
  creditsUsed: CreditsUsedView[];
  @ApiProperty({
    format: 'date-time',
    description:
      'The first moment of the period that the invoice bills. The invoice at the end of a period has the period that ends. A manual ' +
      'invoice has the time from the first to the last moment of its lines. Each line has its own period.',
  })
  periodStart: string;
  @ApiProperty({ format: 'date-time', description: 'The first moment after the period.' }) periodEnd: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    example: null,
    description:
      'The time at which the draft opens by itself, at the end of its grace period. Null if a user has to approve the draft, and if the ' +
      'invoice is no draft any more.',
  })
  opensAt: string | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time at which the invoice was opened. Null for an invoice that was never opened.',
  })
  issuedAt: string | null;
  @ApiProperty({
    format: 'date-time',
    description:
      'The latest time for payment. The opening of a draft sets the due date anew, counted from the opening.',
  })
  dueDate: string;
  @ApiProperty({
    type: InvoiceRetriesView,
    nullable: true,
    description:
      'The automatic retries of failed payments. Null until a charge fails or needs a confirmation. Also null if the invoice is not ' +
      'collected automatically, and if retries are turned off. Not null if a failed charge allows no retry: see `ended`.',
  })
  paymentRetries: InvoiceRetriesView | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) paidAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) voidedAt: string | null;
  @ApiProperty({ type: String, nullable: true }) voidReason: string | null;
}

class PaginationView {
  @ApiProperty({ type: 'integer', description: 'The number of entries in the list.', example: 42 })
  total: number;
  @ApiProperty({ type: 'integer', description: 'The number of the page, from 1.', example: 1 }) page: number;
  @ApiProperty({ type: 'integer', description: 'The largest number of entries on a page.', example: 20 })
  pageSize: number;
}

export class InvoiceList extends ListView {
  @ApiProperty({ type: [InvoiceView] }) data: InvoiceView[];
  @ApiPropertyOptional({
    description:
      'The position of this page in the list. Absent if the request has `after`, since counting takes longer than reading the page.',
  })
  pagination?: PaginationView;
}

export class InvoiceLinkView {
  @ApiProperty({
    description:
      'The URL of the hosted invoice page. The URL of an invoice never changes. Anybody who has the URL can see and pay the invoice.',
  })
  url: string;
  @ApiProperty({ type: String, nullable: true, description: 'Always null: links do not expire.' })
  expiresAt: null;
}
