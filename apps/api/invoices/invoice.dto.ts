import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ListView } from '../http/index.js';
import { INVOICE_KINDS, INVOICE_STATUSES } from '#libs/contexts/invoicing';
import { CustomFieldView } from '../http/index.js';
import { InvoiceLineView } from './invoice-line.dto.js';

export class DiscountView {
  @ApiProperty({ example: 'red_01JD0000000000000000000000' }) redemptionId: string;
  @ApiProperty({ example: 'WELCOME10' }) couponId: string;
  @ApiProperty({ example: 'Welcome', description: 'As invoices print it.' }) name: string;
  @ApiProperty({ description: 'What the coupon takes off; each line says its part.' }) amount: number;
  @ApiProperty({
    required: false,
    example: 'inv_01HZX3…',
    description:
      'The invoice that used the coupon, on a fee which is given back here: the unused part of that discount. Absent where the coupon is used on this invoice.',
  })
  carriedFrom?: string;
}

export class TaxView {
  @ApiProperty({ example: 'tax_01JD0000000000000000000000' }) taxRateId: string;
  @ApiProperty({ example: 'VAT', description: 'As invoices print it.' }) name: string;
  @ApiProperty({ example: 19 }) percentage: number;
  @ApiProperty({ description: 'Whether the lines contain it already; else it is added to them.' })
  inclusive: boolean;
  @ApiProperty({
    description:
      'What the lines with this rate come to after coupons, without any tax. Below zero where more is given back.',
    example: 20,
  })
  taxable: number;
  @ApiProperty({ description: 'Rounded once, on all lines with this rate.' }) amount: number;
}

export class PaymentRefundView {
  @ApiProperty({ example: 'inv_01HZX3…', description: 'The invoice that gave it back.' }) byInvoiceId: string;
  @ApiProperty() amount: number;
  @ApiProperty({ enum: ['pending', 'succeeded'], description: '`pending` until the payment gateway has it.' })
  status: 'pending' | 'succeeded';
}

export class InvoiceView {
  @ApiProperty({ example: 'inv_01HZX3…' }) id: string;
  @ApiProperty({ type: String, nullable: true, example: 'INV-000042', description: 'Given at opening.' })
  number: string | null;
  @ApiProperty() customerId: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null for one that was made by hand, and for one of several subscriptions.',
  })
  subscriptionId: string | null;
  @ApiProperty({
    type: [String],
    description: 'All that it bills.',
    example: ['sub_01JD0000000000000000000000'],
  })
  subscriptionIds: string[];
  @ApiProperty({
    enum: [...INVOICE_KINDS],
    description:
      '`interim`: asked for within its period. `progressive`: made as the usage of the period reached the threshold.',
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
  @ApiProperty({ type: [CustomFieldView], description: 'What else the customer wants to read on it.' })
  customFields: CustomFieldView[];
  @ApiProperty({ enum: INVOICE_STATUSES }) status: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ description: 'The sum of the lines.' }) subtotal: number;
  @ApiProperty({ type: [DiscountView] }) discounts: DiscountView[];
  @ApiProperty({ type: [TaxView] }) taxes: TaxView[];
  @ApiProperty({ type: String, nullable: true, description: 'Why there is no tax.' })
  taxExemptReason: string | null;
  @ApiProperty() total: number;
  @ApiProperty({ description: "What the customer's balance paid of the total." }) balanceApplied: number;
  @ApiProperty({
    description:
      "What it gives back beyond what it charges: taken off what is owed on the invoices that charged it, and else added to the customer's balance.",
  })
  balanceCredited: number;
  @ApiProperty() amountDue: number;
  @ApiProperty({ description: 'What was paid by payments.', example: 0 }) amountPaid: number;
  @ApiProperty({
    description: 'What later invoices took off it that gave back more than they charged.',
    example: 0,
  })
  amountReduced: number;
  @ApiProperty({
    enum: ['balance', 'refund'],
    description:
      'Where `balanceCredited` goes, less what it takes off unpaid invoices. `refund`: back to the cards that paid, and only the rest to the balance.',
  })
  excessTo: 'balance' | 'refund';
  @ApiProperty({
    type: [PaymentRefundView],
    description: 'What of its payment is refunded, because later invoices gave back more than they charged.',
  })
  refunds: PaymentRefundView[];
  @ApiProperty({ description: 'The sum of its credit notes.', example: 0 }) amountCredited: number;
  @ApiProperty({ type: [InvoiceLineView] }) lines: InvoiceLineView[];
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time', description: 'Exclusive.' }) periodEnd: string;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) issuedAt: string | null;
  @ApiProperty({ format: 'date-time', description: 'When it is to be paid at the latest.' }) dueDate: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) paidAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) voidedAt: string | null;
  @ApiProperty({ type: String, nullable: true }) voidReason: string | null;
}

class PaginationView {
  @ApiProperty({ type: 'integer', description: 'How many entries there are.', example: 42 }) total: number;
  @ApiProperty({ type: 'integer', description: 'The page, from 1.', example: 1 }) page: number;
  @ApiProperty({ type: 'integer', description: 'Most entries of a page.', example: 20 }) pageSize: number;
}

export class InvoiceList extends ListView {
  @ApiProperty({ type: [InvoiceView] }) data: InvoiceView[];
  @ApiPropertyOptional({
    description:
      'Where in the list these entries are. Left out where `after` is given: to count takes longer than the page.',
  })
  pagination?: PaginationView;
}

export class InvoiceLinkView {
  @ApiProperty({
    description: 'The hosted page; the same each time. Whoever has it can see and pay the invoice.',
  })
  url: string;
  @ApiProperty({ type: String, nullable: true, description: 'Links do not expire.' }) expiresAt: null;
}
