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
  @ApiProperty({ example: 'Welcome', description: 'The name, as invoices print it.' }) name: string;
  @ApiProperty({ description: 'The discount of the coupon. Each line shows its part.' }) amount: number;
  @ApiProperty({
    required: false,
    example: 'inv_01HZX3…',
    description:
      'The earlier invoice that used the coupon on a fee which this invoice gives back. The amount is the unused part of that discount. Absent if ' +
      'this invoice uses the coupon.',
  })
  carriedFrom?: string;
}

export class TaxView {
  @ApiProperty({ example: 'tax_01JD0000000000000000000000' }) taxRateId: string;
  @ApiProperty({ example: 'VAT', description: 'The name, as invoices print it.' }) name: string;
  @ApiProperty({ example: 19 }) percentage: number;
  @ApiProperty({
    description: 'Whether the lines already contain the tax. If not, the tax is added to them.',
  })
  inclusive: boolean;
  @ApiProperty({
    description:
      'The sum of the lines with this rate, after coupons and without any tax. Below zero if the lines give back more than they charge.',
    example: 20,
  })
  taxable: number;
  @ApiProperty({ description: 'The tax on all lines with this rate. It is rounded once.' }) amount: number;
}

export class CreditsUsedView {
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    example: 'AI credits',
    description: 'The name of the credit type, as the invoice prints it.',
  })
  creditTypeName: string;
  @ApiProperty({
    example: 'met_01JD0000000000000000000000',
    description: 'The metric whose usage used the credits.',
  })
  metricId: string;
  @ApiProperty({ example: 'Tokens', description: 'The name of the metric, as the invoice prints it.' })
  metricName: string;
  @ApiProperty({ example: 950, description: 'The number of credits.' }) credits: number;
}

export class InvoiceRetriesView {
  @ApiProperty({ type: 'integer', description: 'The number of retries that were made.', example: 1 })
  made: number;
  @ApiProperty({
    ...{ type: String, format: 'date-time', nullable: true },
    description: 'When the next retry is made. Null if none is planned.',
  })
  nextAttemptAt: string | null;
  @ApiProperty({
    ...{ type: String, enum: [...RETRY_END_REASONS, null], nullable: true },
    description:
      'Why no further retry is planned. `exhausted`: the last one failed. `final_decline`: this card will always be declined. ' +
      '`action_required`: the customer must confirm the payment. `no_payment_method`: a retry was due, and the customer had no payment method. Null ' +
      'otherwise.',
    example: null,
  })
  ended: RetryEndReason | null;
  @ApiProperty({
    ...{ type: String, format: 'date-time', nullable: true },
    description:
      'Until when a new payment method is waited for, if no further retry is planned. Null otherwise.',
    example: null,
  })
  givesUpAt: string | null;
  @ApiProperty({
    description: 'Whether the invoice was still unpaid at that time, and the retry settings were applied.',
    example: false,
  })
  gaveUp: boolean;
}

export class PaymentRefundView {
  @ApiProperty({ example: 'inv_01HZX3…', description: 'The later invoice that gave the amount back.' })
  byInvoiceId: string;
  @ApiProperty() amount: number;
  @ApiProperty({
    enum: PAYMENT_REFUND_STATUSES,
    example: 'succeeded',
    description:
      '`pending` until the payment gateway has accepted the refund. `refused`: the gateway refused it for good. `failed`: it failed after ' +
      "the gateway had accepted it. The amount of a refund that was refused or failed goes to the customer's balance.",
  })
  status: PaymentRefund['status'];
  @ApiProperty({
    ...{ type: String, nullable: true, example: null },
    description: 'Why the payment gateway refused the refund, or why the refund failed. Null otherwise.',
  })
  refusal: string | null;
}

class PaymentDisputeView {
  @ApiProperty({ example: 'du_1PexampleDispute', description: 'The id of the payment processor.' })
  id: string;
  @ApiProperty({ example: 'pay_01HZX3…', description: 'The payment attempt that is disputed.' })
  attemptId: string;
  @ApiProperty({ example: 49 }) amount: number;
  @ApiProperty({ example: 'fraudulent', description: 'The reason, as the payment processor calls it.' })
  reason: string;
  @ApiProperty({
    example: 'needs_response',
    description:
      'The status, as the payment processor calls it. The money of a dispute with the status `lost` is gone.',
  })
  status: string;
  @ApiProperty({ format: 'date-time', description: 'The time at which the dispute was reported.' })
  openedAt: string;
  @ApiProperty({
    ...{ type: 'string', format: 'date-time', nullable: true },
    description: 'The time at which the decision was reported. Null while the bank has not decided.',
  })
  closedAt: string | null;
}

class GatewayRefundView {
  @ApiProperty({ example: 're_1PexampleRefund', description: 'The id of the payment processor.' }) id: string;
  @ApiProperty({ example: 'pay_01HZX3…', description: 'The payment attempt that was refunded.' })
  attemptId: string;
  @ApiProperty({ example: 49 }) amount: number;
  @ApiProperty({
    enum: ['succeeded', 'failed'],
    example: 'succeeded',
    description: '`failed`: the customer did not get the money, and it is with the payment processor again.',
  })
  status: 'succeeded' | 'failed';
  @ApiProperty({
    ...{ type: String, nullable: true, example: null },
    description: 'Why the refund failed. Null if it did not fail.',
  })
  failure: string | null;
}

export class InvoiceView {
  @ApiProperty({ example: 'inv_01HZX3…' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'INV-000042',
    description: 'The number of the invoice, assigned at opening. Null for a draft.',
  })
  number: string | null;
  @ApiProperty() customerId: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The id of the subscription. Null for a manual invoice, and for an invoice of several subscriptions.',
  })
  subscriptionId: string | null;
  @ApiProperty({
    type: [String],
    description: 'The ids of all subscriptions that the invoice bills.',
    example: ['sub_01JD0000000000000000000000'],
  })
  subscriptionIds: string[];
  @ApiProperty({
    enum: [...INVOICE_KINDS],
    description:
      '`interim`: requested within its period. `progressive`: made when the usage of the period reached the threshold. ' +
      '`credit_purchase`: the customer buys prepaid credits. `overage`: usage that no credits covered, when no other invoice is due.',
  })
  kind: string;
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
    description: 'Other fields of the customer, which the invoice prints.',
  })
  customFields: CustomFieldView[];
  @ApiProperty({ enum: INVOICE_STATUSES }) status: string;
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
  @ApiProperty({ description: "The part of the total that was paid from the customer's balance." })
  balanceApplied: number;
  @ApiProperty({
    description:
      "The amount by which the invoice gives back more than it charges. It reduces what is due on the invoices that charged it. The rest is added to the customer's balance.",
  })
  balanceCredited: number;
  @ApiProperty() amountDue: number;
  @ApiProperty({
    description: 'The amount that cards and recorded payments have paid. Reversed payments are not in it.',
    example: 0,
  })
  amountPaid: number;
  @ApiProperty({
    type: [RecordedPaymentView],
    description:
      'The payments outside the payment gateway, and later payments from the balance, oldest first. Charges of cards are under the payment attempts.',
  })
  payments: RecordedPaymentView[];
  @ApiProperty({
    description: 'The amount that later invoices took off, because they gave back more than they charged.',
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
    description: 'The refunds of its payment, because later invoices gave back more than they charged.',
  })
  refunds: PaymentRefundView[];
  @ApiProperty({
    type: [PaymentDisputeView],
    description: 'The disputes of its payments, in which the bank of the customer asks for the money back.',
  })
  disputes: PaymentDisputeView[];
  @ApiProperty({
    type: [GatewayRefundView],
    description:
      'The refunds of its payments that were made at the payment processor itself. Also the failed refunds of charges that the invoice did ' +
      'not need.',
  })
  gatewayRefunds: GatewayRefundView[];
  @ApiProperty({ description: 'The sum of its credit notes.', example: 0 }) amountCredited: number;
  @ApiProperty({ type: [InvoiceLineView] }) lines: InvoiceLineView[];
  @ApiProperty({
    type: [CreditsUsedView],
    description:
      'The prepaid credits that usage has used since the last invoice that shows them. They are paid already, so they have no amount and are ' +
      'in no total. Empty if no ' +
      'credits were used. Usage that credits did not cover is in lines of the type `overage`.',
  })
  creditsUsed: CreditsUsedView[];
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time', description: 'The first moment after the period.' }) periodEnd: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) issuedAt: string | null;
  @ApiProperty({ format: 'date-time', description: 'The latest time for payment.' }) dueDate: string;
  @ApiProperty({
    ...{ type: InvoiceRetriesView, nullable: true },
    description: 'The automatic retries of failed payments. Null if none was ever planned.',
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
      'The place of these entries in the list. Absent if the request has `after`, since counting takes longer than reading the page.',
  })
  pagination?: PaginationView;
}

export class InvoiceLinkView {
  @ApiProperty({
    description:
      'The address of the hosted page. It is the same each time. Anybody who has it can see and pay the invoice.',
  })
  url: string;
  @ApiProperty({ type: String, nullable: true, description: 'Always null: links do not expire.' })
  expiresAt: null;
}
