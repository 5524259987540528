import { Injectable } from '@nestjs/common';
import { Balances, type BalanceEvent, type InvoiceOnBalance } from '#libs/contexts/balances';
import type { DecimalString } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import { ProcessManager, reactTo, type TaskHandlers } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CreditNotes } from './credit-notes/credit-notes.js';
import type { InvoiceEvent } from './events.js';
import { GiveBacks } from './give-backs/give-backs.js';
import { ExcessSettler } from './give-backs/excess-settler.js';
import { isNothing } from './invoice.js';
import { Invoices } from './invoices.js';
import { InvoiceFinalizer } from './invoice-finalizer.js';

interface Tasks {
  /** For the invoice's excess, or for a credit note on it. */
  'credit-balance': { invoice: InvoiceOnBalance; amount: DecimalString; creditNoteId?: string };
  'settle-balance': { invoiceId: string };
  'return-give-backs': { invoiceId: string };
  'void-credit-note': { invoiceId: string; creditNoteId: string; reason: string | null };
}

/**
 * Keeps customers' balances right. When an invoice that gives back more than it charges is opened, the excess reduces earlier invoices
 * first, and the rest is added to the balance. What was taken for an invoice that was voided, or opened with less, is returned. What one
 * that was voided gave back of earlier invoices is theirs again. A credit note whose credit was taken out of a balance becomes void.
 */
@Injectable()
export class CustomerBalanceProcess extends ProcessManager<Tasks> {
  readonly name = 'balances';

  constructor(
    clock: WorkspaceClock,
    private readonly balances: Balances,
    private readonly finalizer: InvoiceFinalizer,
    private readonly creditNotes: CreditNotes,
    private readonly invoices: Invoices,
    private readonly giveBacks: GiveBacks,
    private readonly excessSettler: ExcessSettler,
  ) {
    super(clock);
  }

  override readonly react = reactTo<InvoiceEvent | BalanceEvent, Tasks>({
    InvoiceOpened: ({ data }) => {
      const { invoiceId, customerId, currency, balanceCredited: amount, balanceApplied } = data;
      const invoice = { invoiceId, customerId, currency };
      return [
        ...(amount === undefined ? [] : [{ name: 'credit-balance', payload: { invoice, amount } } as const]),
        ...(balanceApplied === undefined
          ? []
          : [{ name: 'settle-balance', payload: { invoiceId } } as const]),
      ];
    },
    // Of what was taken and what became of the invoice, the one that comes second leads to a task that sees both.
    BalanceApplied: ({ data: { invoiceId } }) => [{ name: 'settle-balance', payload: { invoiceId } }],
    // Whoever voids it returns what it gave back, too; this is for the case that it dies before it has.
    InvoiceVoided: ({ data: { invoiceId } }) => [
      { name: 'settle-balance', payload: { invoiceId } },
      { name: 'return-give-backs', payload: { invoiceId } },
    ],
    // Whoever issues it adds it, too; this is for the case that it dies before it has.
    CreditNoteIssued: ({ data: { invoiceId, customerId, currency, note } }) => {
      const { creditNoteId, toBalance: amount } = note;
      if (isNothing(amount)) return [];
      const invoice = { invoiceId, customerId, currency };
      return [{ name: 'credit-balance', payload: { invoice, amount, creditNoteId } }];
    },
    // Whoever voids the note goes on to the invoice, too; this is for the case that it dies before it has.
    BalanceDebited: ({ data: { invoiceId, creditNoteId, reason } }) => [
      { name: 'void-credit-note', payload: { invoiceId, creditNoteId, reason } },
    ],
  });

  protected override readonly tasks: TaskHandlers<Tasks> = {
    'credit-balance': ({ invoice, amount, creditNoteId }, context) =>
      creditNoteId === undefined
        ? this.addExcess(context, invoice, amount)
        : this.creditNotes.creditBalance(context, invoice, { creditNoteId, toBalance: amount }),
    'settle-balance': ({ invoiceId }, context) => this.finalizer.settleBalance(context, invoiceId),
    'return-give-backs': async ({ invoiceId }, context) =>
      this.giveBacks.returnAll(context, await this.invoices.require(context.workspaceId, invoiceId)),
    'void-credit-note': async (payload, context) => {
      await this.invoices.execute(context, { type: 'VoidCreditNote', at: context.now, ...payload });
    },
  };

  /** What is owed is reduced first, and what is to be refunded is refunded. Once the rest has been added, nothing more is: what was a draft then may be owed by now. */
  private async addExcess(
    context: CommandContext,
    invoice: InvoiceOnBalance,
    excess: DecimalString,
  ): Promise<void> {
    const { invoiceId: sourceId } = invoice;
    if (await this.balances.hasCredit(context.workspaceId, invoice, sourceId)) return;
    const amount = await this.excessSettler.settle(context, sourceId, excess);
    if (isNothing(amount)) return;
    await this.balances.credit(context, invoice, { amount, source: 'invoice', sourceId });
  }
}
