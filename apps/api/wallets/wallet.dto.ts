import { ApiProperty } from '@nestjs/swagger';
import { PURCHASE_STATUSES } from '#libs/contexts/credit-purchases';
import {
  BLOCK_STATUSES,
  LEDGER_ENTRY_TYPES,
  PURCHASE_COLLECTIONS,
  type LedgerEntryType,
  type PurchaseCollection,
} from '#libs/contexts/credits';
import { INVOICE_STATUSES } from '#libs/contexts/invoicing';
import { CREDIT_SOURCES, type CreditSource } from '#libs/rating';
import {
  BodyExample,
  BooleanField,
  ChoiceField,
  CurrencyField,
  DecimalField,
  InstantField,
  IntegerField,
  SingleLineField,
  ListView,
  PageQuery,
} from '../http/index.js';

const BLOCK_ID = 'blk_01JD0000000000000000000000';
const INVOICE_ID = 'inv_01JD0000000000000000000000';

@BodyExample({
  amount: 500,
  source: 'promotional',
  priority: 0,
  description: 'Welcome',
  idempotencyKey: 'welcome-1',
})
export class GrantCreditsBody {
  @DecimalField({ above: 0, max: 1e15, example: 500, description: 'The number of credits.' })
  amount: string;

  @ChoiceField(CREDIT_SOURCES, {
    optional: true,
    description:
      'Where the credits come from. Of blocks with the same priority and expiry, usage takes `grant` (the default) and `promotional` before ' +
      '`purchase`.',
  })
  source?: CreditSource;

  @IntegerField({
    min: 0,
    max: 1_000,
    optional: true,
    example: 0,
    description: 'The priority of the credits; lower is used first. Default 10.',
  })
  priority?: number;

  @InstantField({ optional: true, description: 'The time from which the credits can be used. Default: now.' })
  effectiveAt?: string;

  @InstantField({
    optional: true,
    nullable: true,
    after: 'effectiveAt',
    example: '2026-12-31T00:00:00Z',
    description:
      'The time from which the credits can no longer be used. If null, they never expire. By default, the credit type says after how many days they expire.',
  })
  expiresAt?: string | null;

  @DecimalField({
    min: 0,
    optional: true,
    nullable: true,
    example: 0,
    description: 'The amount that was paid for all of these credits, for reports. It is not invoiced.',
  })
  costBasis?: string | null;

  @CurrencyField({
    optional: true,
    description:
      'The currency of `costBasis`. It must be the currency of the credit type, which is the default.',
  })
  currency?: string;

  @SingleLineField({
    max: 500,
    optional: true,
    nullable: true,
    example: 'Welcome',
    description: 'A note for the ledger of the wallet.',
  })
  description?: string | null;

  @SingleLineField({
    max: 255,
    optional: true,
    example: 'welcome-1',
    description:
      'A key that you choose. A second grant to the wallet with the same key returns the first block and grants nothing, at any later time.',
  })
  idempotencyKey?: string;
}

class VoidBody {
  @SingleLineField({
    max: 500,
    optional: true,
    nullable: true,
    example: 'Granted by mistake',
    description: 'The reason, as the ledger of the wallet shows it.',
  })
  reason?: string | null;
}

@BodyExample({ reason: 'Granted by mistake' })
export class VoidBlockBody extends VoidBody {
  @BooleanField({
    optional: true,
    example: true,
    description:
      'If true, the price of the rest of a bought block is given back, with a credit note on its invoice. Default false.',
  })
  creditNote?: boolean;
}

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
    description: 'The price of one credit. Default: the price of the credit type.',
  })
  unitPrice?: string;

  @CurrencyField({
    optional: true,
    description:
      'The currency of the price. It must be the currency of the credit type, which is the default.',
  })
  currency?: string;

  @InstantField({
    optional: true,
    nullable: true,
    example: '2026-12-31T00:00:00Z',
    description:
      'The time from which the credits can no longer be used. A purchase that is not paid by then ends, and its invoice is voided. If null, ' +
      'they never expire. Default: the credit type says how many days after the payment.',
  })
  expiresAt?: string | null;

  @ChoiceField(PURCHASE_COLLECTIONS, {
    optional: true,
    description:
      '`charge` (the default): the card on file is charged at once. `send_invoice`: the invoice is opened with its due date.',
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
      'A key that you choose. A second purchase of the wallet with the same key returns the first one and sells nothing, at any later time.',
  })
  idempotencyKey?: string;
}

@BodyExample({ threshold: 100, credits: 1_000, maxPerMonth: 3 })
export class AutoTopUpBody {
  @DecimalField({
    min: 0,
    max: 1e15,
    example: 100,
    description: 'Credits are bought when the balance is at or below this number.',
  })
  threshold: string;

  @DecimalField({
    above: 0,
    max: 1e15,
    example: 1_000,
    description: 'The number of credits that are bought each time.',
  })
  credits: string;

  @DecimalField({
    above: 0,
    max: 1e9,
    optional: true,
    nullable: true,
    example: 0.01,
    description: 'The price of one credit. Null, the default: the price of the credit type at that time.',
  })
  unitPrice?: string | null;

  @IntegerField({
    min: 1,
    max: 1_000,
    optional: true,
    example: 3,
    description: 'The maximum number of top-ups in a calendar month (UTC). Default 5.',
  })
  maxPerMonth?: number;

  @BooleanField({
    optional: true,
    description:
      'If false, nothing is bought, and `threshold` only says when `credit.balance_low` is sent. Default true.',
  })
  enabled?: boolean;
}

@BodyExample({ amount: 100, reason: 'Granted by mistake' })
export class VoidCreditsBody extends VoidBody {
  @DecimalField({
    above: 0,
    max: 1e15,
    example: 100,
    description: 'The number of credits, at most the balance.',
  })
  amount: string;
}

class BlockAllowanceView {
  @ApiProperty({ example: 'alw_01JD0000000000000000000000', description: 'The id of the allowance.' })
  id: string;
  @ApiProperty({ example: 'sub_01JD0000000000000000000000' }) subscriptionId: string;
  @ApiProperty({
    type: Number,
    example: 200,
    description: 'How many credits of the block were carried over from the interval before.',
  })
  rolledOver: number;
}

export class BlockView {
  @ApiProperty({ example: BLOCK_ID }) id: string;
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    enum: [...CREDIT_SOURCES],
    example: 'promotional',
    description: 'Where the credits come from.',
  })
  source: string;
  @ApiProperty({
    enum: [...BLOCK_STATUSES],
    example: 'active',
    description:
      '`pending_payment`: the invoice of the credits is not paid. `scheduled`: the credits cannot be used yet. `active`: they can be used.',
  })
  status: string;
  @ApiProperty({ type: Number, example: 500, description: 'The number of credits that were granted.' })
  amount: number;
  @ApiProperty({ type: Number, example: 500, description: 'The number of credits that are left.' })
  remaining: number;
  @ApiProperty({
    type: 'integer',
    example: 0,
    description: 'The priority of the credits; lower is used first.',
  })
  priority: number;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time from which the credits can be used. Null while their invoice is not paid.',
  })
  effectiveAt: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) expiresAt: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0,
    description: 'The amount that was paid for all credits of the block. Null if it is not known.',
  })
  costBasis: number | null;
  @ApiProperty({ example: 'USD', description: 'The currency of `costBasis`.' }) currency: string;
  @ApiProperty({ type: String, nullable: true, example: 'Welcome' }) description: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The id of the invoice of a bought block. Null if the block was not bought.',
  })
  invoiceId: string | null;
  @ApiProperty({
    type: BlockAllowanceView,
    nullable: true,
    description: 'The allowance of a plan that granted the block. Null if none did.',
  })
  allowance: BlockAllowanceView | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
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
  @ApiProperty({ enum: [...INVOICE_STATUSES], example: 'paid' }) status: string;
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
  status: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'card_declined',
    description: 'Why the charge did not succeed, for programs. Null if it did.',
  })
  code: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'The card was declined.',
    description: 'Why the charge did not succeed, for people. Null if it did.',
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
  status: string;
  @ApiProperty({ type: Number, example: 1_000, description: 'The number of credits.' }) credits: number;
  @ApiProperty({ type: Number, example: 0.01, description: 'The price of one credit.' }) unitPrice: number;
  @ApiProperty({ example: 'USD', description: 'The currency of the price.' }) currency: string;
  @ApiProperty({ type: Number, example: 10, description: 'The total of the invoice, including taxes.' })
  total: number;
  @ApiProperty({
    enum: [...PURCHASE_COLLECTIONS],
    example: 'charge',
    description:
      '`charge`: the card on file was charged. `send_invoice`: the invoice was opened with its due date.',
  })
  collection: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time from which the credits can no longer be used. If null, they never expire, or the time of the payment decides it.',
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

export class AutoTopUpSettingsView {
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    type: Number,
    example: 100,
    description: 'Credits are bought when the balance is at or below this number.',
  })
  threshold: number;
  @ApiProperty({
    type: Number,
    example: 1_000,
    description: 'The number of credits that are bought each time.',
  })
  credits: number;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: null,
    description: 'The price of one credit. If null, it is the price of the credit type at that time.',
  })
  unitPrice: number | null;
  @ApiProperty({ example: 'USD', description: 'The currency of the credit type.' }) currency: string;
  @ApiProperty({
    type: 'integer',
    example: 3,
    description: 'The maximum number of top-ups in a calendar month (UTC).',
  })
  maxPerMonth: number;
  @ApiProperty({ example: true, description: 'Whether credits are bought.' }) enabled: boolean;
}

export class AutoTopUpView extends AutoTopUpSettingsView {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'pm_01JD0000000000000000000000',
    description:
      'The id of the payment method that is charged: the default one of the customer. If null, nothing can be charged, and the invoice of a ' +
      'top-up stays open until there is a payment method.',
  })
  paymentMethodId: string | null;
}

export class WalletView {
  @ApiProperty({ example: 'cust_northwind' }) customerId: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({ type: Number, example: 500, description: 'The number of credits that can be used now.' })
  balance: number;
  @ApiProperty({
    type: [BlockView],
    description:
      'The blocks with credits left, in the order in which usage takes from them. After them, those that are not paid yet.',
  })
  blocks: BlockView[];
}

export class WalletList extends ListView {
  @ApiProperty({ type: [WalletView] }) data: WalletView[];
}

export class WalletLedgerQuery extends PageQuery {
  @ChoiceField(LEDGER_ENTRY_TYPES, { optional: true, description: 'Selects entries of this kind.' })
  type?: LedgerEntryType;

  @InstantField({ query: true, optional: true, description: 'The first moment of the time range.' })
  from?: string;

  @InstantField({
    query: true,
    optional: true,
    after: 'from',
    example: '2026-02-28T00:00:00Z',
    description: 'The first moment after the time range.',
  })
  to?: string;
}

class WalletLedgerBlockView {
  @ApiProperty({ example: BLOCK_ID, description: 'The id of the block.' }) blockId: string;
  @ApiProperty({
    type: Number,
    example: -100,
    description: 'The credits that the block got, or lost if below zero.',
  })
  amount: number;
}

export class WalletLedgerEntryView {
  @ApiProperty({ example: '0b4c8f0e-3f1e-5a8e-9d0a-2b6f5f0e7c11' }) id: string;
  @ApiProperty({
    enum: [...LEDGER_ENTRY_TYPES],
    example: 'voided',
    description:
      '`granted`: credits were granted. `purchased`: a purchase was paid. `drawn_down`: usage used credits. `expired`: the rest of a block ' +
      'ended at its expiry. `voided`: credits ' +
      'were taken back.',
  })
  type: string;
  @ApiProperty({ example: 'ai-credits', description: 'The id of the credit type.' }) creditType: string;
  @ApiProperty({
    type: Number,
    example: -100,
    description: 'The change in credits. It is below zero if credits were taken.',
  })
  amount: number;
  @ApiProperty({
    type: Number,
    example: 400,
    description: 'The number of credits that could be used right after the change.',
  })
  balance: number;
  @ApiProperty({ type: [WalletLedgerBlockView], description: 'How much each block gained or lost.' })
  blocks: WalletLedgerBlockView[];
  @ApiProperty({
    type: Number,
    example: 0,
    description:
      'The number of credits that usage cost and no block covered. They are billed. Only for `drawn_down`.',
  })
  overage: number;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Granted by mistake',
    description: 'The note of the grant, or the reason of the void.',
  })
  description: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
}

export class WalletLedgerList extends ListView {
  @ApiProperty({ type: [WalletLedgerEntryView] }) data: WalletLedgerEntryView[];
}
