import { Injectable } from '@nestjs/common';
import { Balances, type InvoiceOnBalance } from '#libs/contexts/balances';
import { Decimal } from '#libs/kernel/core';
import { follow, type CommandContext } from '#libs/kernel/event-store';
import { PaymentGateways } from '#libs/contexts/payments';
import { InvoiceNumbers } from '../invoice-numbers.js';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';
import { formatNumber } from '../settings/invoice-number.js';
import { requireCreditNote, type CreditNote } from './credit-note.js';

/** Brings credit notes to their end that were issued: what they add to the balance, their number, and their refund. */
@Injectable()
export class CreditNotes {
  constructor(
    private readonly invoices: Invoices,
    private readonly numbers: InvoiceNumbers,
    private readonly gateways: PaymentGateways,
    private readonly balances: Balances,
  ) {}

  /**
   * Numbers and refunds a credit note. Several may do so at once, and again after a crash: its number is reserved under its id,
   * and the gateway refunds it once. The number follows its issue, which can be refused, so none is ever missing.
   */
  async complete(context: CommandContext, invoiceId: string, creditNoteId: string): Promise<Invoice> {
    await this.number(context, invoiceId, creditNoteId);
    return this.refund(context, invoiceId, creditNoteId);
  }

  /** Adds to the customer's balance what a credit note gives there: once, whoever does it. */
  async creditBalance(
    context: CommandContext,
    invoice: InvoiceOnBalance,
    { creditNoteId, toBalance: amount }: Pick<CreditNote, 'creditNoteId' | 'toBalance'>,
  ): Promise<void> {
    if (new Decimal(amount).isZero()) return;
    await this.balances.credit(context, invoice, { amount, source: 'credit_note', sourceId: creditNoteId });
  }

  /**
   * Takes what a credit note gave the customer's balance out of it again, for the note is being voided. What was not added yet is added first: who
   * issued the note may have died before. Refused as {@link Balances.debit} says.
   */
  async debitBalance(
    context: CommandContext,
    invoice: InvoiceOnBalance,
    note: Pick<CreditNote, 'creditNoteId' | 'toBalance'>,
    reason: string | null,
  ): Promise<void> {
    const { creditNoteId, toBalance: amount } = note;
    if (new Decimal(amount).isZero()) return;
    const { invoiceId } = invoice;
    await this.creditBalance(context, invoice, note);
    await this.balances.debit(context, invoice, { creditNoteId, invoiceId, amount, reason });
  }

  private async number(context: CommandContext, invoiceId: string, creditNoteId: string): Promise<void> {
    const { workspaceId, now: at } = context;
    const { settings, creditNotes } = await this.invoices.require(workspaceId, invoiceId);
    const note = requireCreditNote(creditNoteId, creditNotes);
    if (note.number !== null) return;
    const place = await this.numbers.reserve(workspaceId, creditNoteId, 'credit_note');
    const { creditNoteNumberPrefix: prefix, invoiceNumberFormat } = settings;
    // Without a prefix it would look like an invoice's.
    const format = invoiceNumberFormat === 'number' ? 'prefix-number' : invoiceNumberFormat;
    const number = formatNumber(place, { prefix, format, issuedAt: note.issuedAt });
    const command = { type: 'NumberCreditNote', at, invoiceId, creditNoteId, number } as const;
    await this.invoices.execute(follow(context, `number ${creditNoteId}`), command);
  }

  private async refund(context: CommandContext, invoiceId: string, creditNoteId: string): Promise<Invoice> {
    const { workspaceId, now: at } = context;
    const invoice = await this.invoices.require(workspaceId, invoiceId);
    const { refundStatus, refunded: amount } = requireCreditNote(creditNoteId, invoice.creditNotes);
    if (refundStatus !== 'pending') return invoice;
    const charge = invoice.attempts.find(({ status }) => status === 'succeeded');
    if (!charge) throw new Error(`Invoice ${invoiceId} has no charge that ${creditNoteId} could refund`);
    const gateway = await this.gateways.require(workspaceId);
    const { currency } = invoice;
    await gateway.refund({ key: creditNoteId, chargeKey: charge.attemptId, workspaceId, amount, currency });
    const command = { type: 'CompleteRefund', at, invoiceId, creditNoteId } as const;
    return (await this.invoices.execute(follow(context, `refund ${creditNoteId}`), command)).state;
  }
}
