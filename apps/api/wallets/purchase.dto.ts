import { ApiProperty } from '@nestjs/swagger';
import { PURCHASE_STATUSES } from '#libs/contexts/credit-purchases';
import { PURCHASE_COLLECTIONS, type PurchaseCollection } from '#libs/contexts/credits';
import { INVOICE_STATUSES } from '#libs/contexts/invoicing';
import {
  BodyExample,
  ChoiceField,
  CurrencyField,
  DecimalField,
  InstantField,
  SingleLineField,
} from '../http/index.js';

const BLOCK_ID = 'blk_01JD0000000000000000000000';
const INVOICE_ID = 'inv_01JD0000000000000000000000';

@BodyExample({
  credits: 1_000,
  collection: 'send_invoice',
  description: 'January',
  idempotencyKey: 'order-1',
})
export class PurchaseCreditsBody {
  @DecimalField({ above: 0, max: 1e15, example: 1_000, description: 'The number of credits.' })
  credits: string;

  @DecimalField({
    above: 0,
    max: 1e9,
    optional: true,
    example: 0.01,
    description: 'The price of one credit. Default: the price that the credit type has for one credit.',
  })
  unitPrice?: string;

  @CurrencyField({
    optional: true,
    description:
      'The currency of the price. The only accepted currency is that of the credit type, which is also the default.',
  })
  currency?: string;

  @InstantField({
    optional: true,
    nullable: true,
    example: '2026-12-31T00:00:00Z',
    description:
      'The time from which the credits can no longer be used. If nothing is paid by this time, the purchase ends and its invoice is voided. ' +
      'If null, the credits never expire. By default, the credit type decides how many days after the payment they expire.',
  })
  expiresAt?: string | null;

  @ChoiceField(PURCHASE_COLLECTIONS, {
    optional: true,
    description:
      '`charge` (the default): the card on file is charged at once. Refused with `no_payment_method` if there is no card. `send_invoice`: ' +
      'the customer pays the invoice by its due date.',
  })
  collection?: PurchaseCollection;

  @SingleLineField({
    max: 500,
    optional: true,
    nullable: true,
    example: 'January',
    description: 'A note for the ledger of the wallet and for the invoice.',
  })
  description?: string | null;

  @SingleLineField({
    max: 255,
    optional: true,
    example: 'order-1',
    description:
      'A key that you choose. If a later purchase for the same wallet has the same key, no credits are sold, and the response shows the ' +
      'first purchase.',
  })
  idempotencyKey?: string;
}

class PurchaseInvoiceView {
  @ApiProperty({ example: INVOICE_ID }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'INV-000042',
    description: 'The number of the invoice. Null for a draft.',
  })
  number: string | null;
  @ApiProperty({ enum: [...INVOICE_STATUSES], example: 'paid' }) status: (typeof INVOICE_STATUSES)[number];
  @ApiProperty({ format: 'date-time', description: 'The time by which the invoice must be paid.' })
  dueDate: string;
}

class PurchasePaymentView {
  @ApiProperty({
    enum: ['pending', 'succeeded', 'failed', 'requires_action'],
    example: 'failed',
    description:
      '`requires_action`: the customer must confirm the payment on the hosted page of the invoice.',
  })
  status: 'pending' | 'succeeded' | 'failed' | 'requires_action';
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'card_declined',
    description:
      'The reason why the charge did not succeed, as a code for programs. Null if it did, or while it is pending.',
  })
  code: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'The card was declined.',
    description:
      'The reason why the charge did not succeed, as a text for people. Null if it did, or while it is pending.',
  })
  message: string | null;
}

export class PurchaseView {
  @ApiProperty({ example: BLOCK_ID, description: 'The id of the block of credits.' }) id: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    enum: [...PURCHASE_STATUSES],
    example: 'active',
    description:
      '`pending_payment`: the invoice is not paid. `active`: it is paid, so the credits can be used. `voided`: the invoice was voided.',
  })
  status: (typeof PURCHASE_STATUSES)[number];
  @ApiProperty({ type: Number, example: 1_000, description: 'The number of credits.' }) credits: number;
  @ApiProperty({ type: Number, example: 0.01, description: 'The price of one credit.' }) unitPrice: number;
  @ApiProperty({ example: 'USD', description: 'The currency of the price.' }) currency: string;
  @ApiProperty({ type: Number, example: 10, description: 'The total of the invoice, including taxes.' })
  total: number;
  @ApiProperty({
    enum: [...PURCHASE_COLLECTIONS],
    example: 'charge',
    description:
      'How the purchase is paid. `charge`: by a charge of the card on file. `send_invoice`: by the customer, who pays the invoice by its due date.',
  })
  collection: (typeof PURCHASE_COLLECTIONS)[number];
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time from which the credits can no longer be used. Null if the credits never expire, or if their expiry depends on the time of the payment.',
  })
  expiresAt: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'January' }) description: string | null;
  @ApiProperty({ type: PurchaseInvoiceView, description: 'The invoice of the purchase.' })
  invoice: PurchaseInvoiceView;
  @ApiProperty({
    type: PurchasePaymentView,
    nullable: true,
    description: 'The last attempt to charge the card. Null if there was none.',
  })
  payment: PurchasePaymentView | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}
