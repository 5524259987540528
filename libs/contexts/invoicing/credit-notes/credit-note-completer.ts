import { Injectable } from '@nestjs/common';
import { Balances, type BalanceKeyWithInvoice } from '#libs/contexts/balances';
import { Decimal } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { AggregateStore, followUpContext, type CommandContext } from '#libs/kernel/event-store';
import { invoiceDecider } from '../decider.js';
import { InvoiceNumbers } from '../document-number-sequences.js';
import type { Invoice } from '../invoice.js';
import { Invoices } from '../invoices.js';
import { RefundSender } from '../refund-sender.js';
import { formatDocumentNumber } from '../settings/document-number.js';
import { refundLeftOf, requireCreditNote, type CreditNote } from './credit-note.js';

/** Completes issued credit notes: credits the customer's balance, assigns the number, and makes the refund. */
@Injectable()
export class CreditNoteCompleter {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly invoices: Invoices,
    private readonly numbers: InvoiceNumbers,
    private readonly refunds: RefundSender,
    private readonly balances: Balances,
  ) {}

  /**
   * Assigns the number of a credit note, and makes its refund. Several callers can complete a credit note at the same time, and again after
   * a crash. This is safe, because the number is reserved under the note's id, and the gateway makes the refund only once. Only issued
   * credit notes get a number, so no number is ever missing from the sequence. If the gateway refuses the refund permanently, the reason is
   * recorded on the credit note.
   */
  async numberAndRefund(context: CommandContext, invoiceId: string, creditNoteId: string): Promise<Invoice> {
    await this.number(context, invoiceId, creditNoteId);
    return this.refund(context, invoiceId, creditNoteId);
  }

  /**
   * Adds the note's balance amount to the customer's balance. The call is safe to repeat, because each note credits the balance only once.
   */
  async creditBalance(
    context: CommandContext,
    invoice: BalanceKeyWithInvoice,
    { creditNoteId, toBalance: amount }: Pick<CreditNote, 'creditNoteId' | 'toBalance'>,
  ): Promise<void> {
    if (new Decimal(amount).isZero()) return;
    await this.balances.credit(context, invoice, { amount, source: 'credit_note', sourceId: creditNoteId });
  }

  /**
   * Removes `toBalance`, the amount that the note added, from the customer's balance, because the note is being voided. If the process that
   * issued the note crashed before it credited the balance, the amount is added first. The removal is refused for the reasons that
   * {@link Balances.removeCreditNoteAmount} lists.
   */
  async debitBalance(
    context: CommandContext,
    invoice: BalanceKeyWithInvoice,
    note: Pick<CreditNote, 'creditNoteId' | 'toBalance'>,
    reason: string | null,
  ): Promise<void> {
    const { creditNoteId, toBalance: amount } = note;
    if (new Decimal(amount).isZero()) return;
    const { invoiceId } = invoice;
    await this.creditBalance(context, invoice, note);
    await this.balances.removeCreditNoteAmount(context, invoice, { creditNoteId, invoiceId, amount, reason });
  }

  private async number(context: CommandContext, invoiceId: string, creditNoteId: string): Promise<void> {
    const { workspaceId, now: at } = context;
    const { settings, creditNotes } = await this.invoices.require(workspaceId, invoiceId);
    const note = requireCreditNote(creditNoteId, creditNotes);
    if (note.number !== null) return;
    const place = await this.numbers.reserve(workspaceId, creditNoteId, 'credit_note');
    const { creditNoteNumberPrefix: prefix, invoiceNumberFormat } = settings;
    // A number without a prefix would look like an invoice number.
    const format = invoiceNumberFormat === 'number' ? 'prefix-number' : invoiceNumberFormat;
    const number = formatDocumentNumber(place, { prefix, format, issuedAt: note.issuedAt });
    const command = { type: 'NumberCreditNote', at, invoiceId, creditNoteId, number } as const;
    const following = followUpContext(context, `number ${creditNoteId}`);
    const id = aggregateId(workspaceId, invoiceId);
    await this.aggregates.execute(invoiceDecider, id, following, command);
  }

  private async refund(context: CommandContext, invoiceId: string, creditNoteId: string): Promise<Invoice> {
    const { workspaceId, now: at } = context;
    const before = await this.invoices.require(workspaceId, invoiceId);
    if (requireCreditNote(creditNoteId, before.creditNotes).refundStatus !== 'pending') return before;
    const refusal = await this.refunds.send(context, invoiceId, {
      key: creditNoteId,
      left: ({ creditNotes }) => {
        const note = requireCreditNote(creditNoteId, creditNotes);
        const isRest = note.refundCovered !== undefined;
        return { amount: refundLeftOf(note), isRest };
      },
    });
    const command =
      refusal === null
        ? ({ type: 'CompleteRefund', at, invoiceId, creditNoteId } as const)
        : ({ type: 'RefuseRefund', at, invoiceId, creditNoteId, message: refusal.message } as const);
    const following = followUpContext(context, `refund ${creditNoteId}`);
    const id = aggregateId(workspaceId, invoiceId);
    return (await this.aggregates.execute(invoiceDecider, id, following, command)).state;
  }
}
