import { ApiProperty } from '@nestjs/swagger';
import { PURCHASE_STATUSES } from '#libs/contexts/credit-purchases';
import { LEDGER_ENTRY_TYPES, PURCHASE_COLLECTIONS, type PurchaseCollection } from '#libs/contexts/credits';
import { INVOICE_STATUSES } from '#libs/contexts/invoicing';
import { BodyExample, ChoiceField, DecimalField, IdField, ListView, SingleLineField } from '../http/index.js';
import { SharedBlockView } from '../wallets/block.dto.js';
import { WalletLedgerQuery } from '../wallets/wallet-ledger.dto.js';

const CREDIT_TYPE = { example: 'ai-credits', description: 'The id of the credit type.' } as const;

class PortalBlockView extends SharedBlockView {}

export class PortalWalletView {
  @ApiProperty(CREDIT_TYPE) creditType: string;
  @ApiProperty({ example: 'AI credits', description: 'The name of the credit type.' }) name: string;
  @ApiProperty({ example: 500, description: 'The number of credits that can be used now.' }) balance: number;
  @ApiProperty({ example: 0.01, description: 'The present price of one credit.' }) unitPrice: number;
  @ApiProperty({ example: 'USD', description: 'The currency of the price.' }) currency: string;
  @ApiProperty({
    type: [PortalBlockView],
    description:
      'The blocks with credits left, in the order in which usage takes from them. Blocks that are not paid yet come last.',
  })
  blocks: PortalBlockView[];
}

export class PortalWalletList extends ListView {
  @ApiProperty({ type: [PortalWalletView] }) data: PortalWalletView[];
}

export class PortalCreditsQuery extends WalletLedgerQuery {
  @IdField({ optional: true, description: 'Selects entries of this credit type.', example: 'ai-credits' })
  creditType?: string;
}

export class PortalCreditEntryView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty(CREDIT_TYPE) creditType: string;
  @ApiProperty({
    enum: [...LEDGER_ENTRY_TYPES],
    example: 'purchased',
    description:
      '`granted`: credits were granted. `purchased`: a purchase was paid. `drawn_down`: usage used credits. `expired`: credits were not used ' +
      'in time. `voided`: credits were taken back. ' +
      '`taken_back`, `blocked`, `released`: what a refund or a dispute of the purchase did to its credits.',
  })
  type: (typeof LEDGER_ENTRY_TYPES)[number];
  @ApiProperty({
    example: 500,
    description: 'The change in credits. The change is below zero if credits were taken.',
  })
  amount: number;
  @ApiProperty({
    example: 900,
    description: 'The number of credits of this type that could be used right after the change.',
  })
  balance: number;
  @ApiProperty({
    example: 0,
    description:
      'The number of credits that usage cost but the wallet did not have. These credits are billed as overage.',
  })
  overage: number;
  @ApiProperty({ format: 'date-time', description: 'The time of the change.' }) createdAt: string;
}

export class PortalCreditList extends ListView {
  @ApiProperty({ type: [PortalCreditEntryView] }) data: PortalCreditEntryView[];
}

/** The credit type defines the price and the expiry of the credits. A customer cannot choose the price or the expiry. */
@BodyExample({ credits: 1_000, idempotencyKey: 'order-1' })
export class PortalPurchaseBody {
  @DecimalField({ above: 0, max: 1e15, example: 1_000, description: 'The number of credits.' })
  credits: string;

  @ChoiceField(PURCHASE_COLLECTIONS, {
    optional: true,
    description:
      '`charge` (the default): the default payment method is charged at once. `send_invoice`: the invoice can be paid on its page.',
  })
  collection?: PurchaseCollection;

  @SingleLineField({
    max: 255,
    optional: true,
    example: 'order-1',
    description:
      'A key that you choose. A second request with the same key, however late, buys nothing, and the response shows the first purchase.',
  })
  idempotencyKey?: string;
}

class PortalPurchaseInvoiceView {
  @ApiProperty({ example: 'inv_01JD0000000000000000000000' }) id: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'INV-000042',
    description: 'The number of the invoice. Null if the invoice is not issued yet.',
  })
  number: string | null;
  @ApiProperty({ enum: [...INVOICE_STATUSES], example: 'paid', description: 'The status of the invoice.' })
  status: (typeof INVOICE_STATUSES)[number];
  @ApiProperty({ format: 'date-time', description: 'The time by which the invoice must be paid.' })
  dueDate: string;
  @ApiProperty({
    format: 'uri',
    example: 'https://billing.example.com/i/kq3cX0Yb1mJ7w2dVtR9sZ4pN',
    description: 'The URL of the page on which the customer can see and pay the invoice.',
  })
  pageUrl: string;
  @ApiProperty({
    format: 'uri',
    example: 'https://billing.example.com/i/kq3cX0Yb1mJ7w2dVtR9sZ4pN/pdf',
    description: 'The URL of the invoice as PDF.',
  })
  pdfUrl: string;
}

class PortalPurchasePaymentView {
  @ApiProperty({
    enum: ['pending', 'succeeded', 'failed', 'requires_action'],
    example: 'failed',
    description: '`requires_action`: the customer must confirm the payment on the page of the invoice.',
  })
  status: 'pending' | 'succeeded' | 'failed' | 'requires_action';
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'The card was declined.',
    description: 'The reason why the charge did not succeed. Null if the charge succeeded or is pending.',
  })
  message: string | null;
}

export class PortalPurchaseView {
  @ApiProperty({ example: 'blk_01JD0000000000000000000000', description: 'The id of the block of credits.' })
  id: string;
  @ApiProperty(CREDIT_TYPE) creditType: string;
  @ApiProperty({
    enum: [...PURCHASE_STATUSES],
    example: 'active',
    description:
      '`pending_payment`: the invoice is not paid. `active`: the invoice is paid. `voided`: the invoice was voided.',
  })
  status: (typeof PURCHASE_STATUSES)[number];
  @ApiProperty({ example: 1_000, description: 'The number of credits.' }) credits: number;
  @ApiProperty({ example: 0.01, description: 'The price of one credit.' }) unitPrice: number;
  @ApiProperty({ example: 'USD', description: 'The currency of the price.' }) currency: string;
  @ApiProperty({ example: 10, description: 'The total of the invoice, including taxes.' }) total: number;
  @ApiProperty({
    type: PortalPurchaseInvoiceView,
    description: 'The invoice of the purchase.',
  })
  invoice: PortalPurchaseInvoiceView;
  @ApiProperty({
    type: PortalPurchasePaymentView,
    nullable: true,
    description: 'The last attempt to charge the payment method. Null if there was no attempt.',
  })
  payment: PortalPurchasePaymentView | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}
