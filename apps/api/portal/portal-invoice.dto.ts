import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { INVOICE_KINDS, INVOICE_STATUSES, type InvoiceStatus } from '#libs/contexts/invoicing';
import { ChoiceField, IdField, ListView, PageQuery } from '../http/index.js';

/** The statuses of the invoices that customers can see. Customers do not see draft invoices. */
export const ISSUED_STATUSES = INVOICE_STATUSES.filter((status) => status !== 'draft');

export class PortalInvoiceQuery extends PageQuery {
  @ChoiceField(ISSUED_STATUSES, { optional: true, description: 'Only invoices with this status.' })
  status?: InvoiceStatus;
}

export class PortalInvoiceView {
  @ApiProperty({ example: 'inv_01JD0000000000000000000000' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'INV-000042',
    description: 'The number of the invoice, which the invoice prints.',
  })
  number: string | null;
  @ApiProperty({ enum: ISSUED_STATUSES, example: 'open', description: 'The status of the invoice.' })
  status: string;
  @ApiProperty({ enum: [...INVOICE_KINDS], description: 'What the invoice is for.' })
  kind: (typeof INVOICE_KINDS)[number];
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ example: 23.75, description: 'The total, including taxes.' }) total: number;
  @ApiProperty({
    example: 5,
    description:
      "The part of the total that was paid from the customer's balance when the invoice was opened. Below zero, it is what the invoice " +
      'collects of earlier invoices.',
  })
  balanceApplied: number;
  @ApiProperty({
    example: 10,
    description: 'The amount that was paid by card charges and recorded payments.',
  })
  amountPaid: number;
  @ApiProperty({ example: 8.75, description: 'The amount that is still to be paid.' }) amountDue: number;
  @ApiProperty({
    format: 'date-time',
    description:
      'The first moment of the period that the invoice bills. The invoice at the end of a period has the period that ends.',
  })
  periodStart: string;
  @ApiProperty({ format: 'date-time' }) periodEnd: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'The time of issue.' })
  issuedAt: string | null;
  @ApiProperty({ format: 'date-time', description: 'The time by which the invoice must be paid.' })
  dueDate: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of payment. Null if the invoice is not paid.',
  })
  paidAt: string | null;
  @ApiProperty({
    format: 'uri',
    example: 'https://billing.example.com/i/kq3cX0Yb1mJ7w2dVtR9sZ4pN',
    description:
      'The URL of the page on which the customer can see and pay the invoice. The URL is the credential.',
  })
  pageUrl: string;
  @ApiProperty({
    format: 'uri',
    example: 'https://billing.example.com/i/kq3cX0Yb1mJ7w2dVtR9sZ4pN/pdf',
    description: 'The URL of the invoice as PDF. The URL is the credential.',
  })
  pdfUrl: string;
}

export class PortalInvoiceList extends ListView {
  @ApiProperty({ type: [PortalInvoiceView] }) data: PortalInvoiceView[];
}

class PortalDiscountView {
  @ApiProperty({ example: 'Welcome', description: 'The name, which invoices print.' }) name: string;
  @ApiProperty({ example: 5, description: 'The amount that the discount deducts.' }) amount: number;
}

class PortalTaxView {
  @ApiProperty({ example: 'VAT', description: 'The name, which invoices print.' }) name: string;
  @ApiProperty({ example: 19, description: 'The rate in percent.' }) percentage: number;
  @ApiProperty({
    description: 'Whether the lines already contain the tax. If false, the tax is added to the lines.',
  })
  inclusive: boolean;
  @ApiProperty({ example: 4.51, description: 'The tax on all lines with this rate.' }) amount: number;
}

class PortalCreditsUsedView {
  @ApiProperty({ example: 'AI credits', description: 'The name of the credit type.' }) creditTypeName: string;
  @ApiProperty({ example: 'Tokens', description: 'The name of the metric whose usage cost the credits.' })
  metricName: string;
  @ApiProperty({ example: 950, description: 'The number of credits.' }) credits: number;
}

class PortalLineView {
  @ApiProperty({ example: 'API units', description: 'What the line is for.' }) description: string;
  @ApiProperty({ example: 1500, description: 'The exact quantity.' }) quantity: number;
  @ApiPropertyOptional({
    example: 0.0025,
    description: 'The exact price of a unit. Absent if the units have different prices.',
  })
  unitPrice?: number;
  @ApiProperty({
    example: 3.75,
    description: 'The amount. The amount is below zero if the line gives money back.',
  })
  amount: number;
  @ApiPropertyOptional({
    example: 0.5,
    description: 'The amount that coupons deduct from the line. Absent if they deduct nothing.',
  })
  discount?: number;
  @ApiProperty({ format: 'date-time' }) periodStart: string;
  @ApiProperty({ format: 'date-time', description: 'The first moment after the period.' }) periodEnd: string;
}

export class PortalUpcomingQuery {
  @IdField({
    optional: true,
    description:
      'The id of the subscription. Required if the customer has several subscriptions that have not ended.',
    example: 'sub_01JD0000000000000000000000',
  })
  subscriptionId?: string;
}

/** A preview of the next invoice, which does not exist yet, with the usage until now. */
export class PortalUpcomingView {
  @ApiProperty({ example: 'sub_01JD0000000000000000000000' }) subscriptionId: string;
  @ApiProperty({ example: 'USD' }) currency: string;
  @ApiProperty({ type: [PortalLineView], description: 'The lines of the invoice.' }) lines: PortalLineView[];
  @ApiProperty({
    type: [PortalCreditsUsedView],
    description:
      'The prepaid credits that usage has cost and that no earlier invoice shows. Prepaid credits are already paid, so they have no ' +
      'amount and are in no total.',
  })
  creditsUsed: PortalCreditsUsedView[];
  @ApiProperty({ example: 23.75, description: 'The sum of the lines.' }) subtotal: number;
  @ApiProperty({ type: [PortalDiscountView], description: 'The discounts of coupons.' })
  discounts: PortalDiscountView[];
  @ApiProperty({ type: [PortalTaxView], description: 'The taxes.' }) taxes: PortalTaxView[];
  @ApiProperty({ example: 23.75, description: 'The total, including taxes.' }) total: number;
  @ApiProperty({
    example: 0,
    description:
      'The amount by which the invoice gives back more than it charges. The amount first reduces the unpaid invoices that charged it. ' +
      "The rest goes to the customer's balance.",
  })
  balanceCredited: number;
  @ApiProperty({ example: 0, description: "The part of the total that the customer's present balance pays." })
  balanceApplied: number;
  @ApiProperty({ example: 23.75, description: 'The amount that the customer will have to pay.' })
  amountDue: number;
  @ApiProperty({
    format: 'date-time',
    description:
      'The first moment of the period that the invoice bills. The invoice at the end of a period has the period that ends.',
  })
  periodStart: string;
  @ApiProperty({ format: 'date-time' }) periodEnd: string;
  @ApiProperty({ format: 'date-time', description: 'The time when the invoice will be issued.' })
  billedAt: string;
}
