import { Injectable } from '@nestjs/common';
import { Balances, type BalanceEvent, type InvoiceOnBalance } from '#libs/contexts/balances';
import type { DecimalString } from '#libs/kernel/core';
import type { CommandContext } from '#libs/kernel/event-store';
import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import { contextOfTask, ProcessManager, type Task, type TaskRequest } from '#libs/kernel/saga';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CreditNotes } from './credit-notes/credit-notes.js';
import type { InvoiceEvent } from './events.js';
import { GiveBacks } from './give-backs/give-backs.js';
import { ExcessSettler } from './give-backs/excess-settler.js';
import { isNothing } from './invoice-decider.js';
import { Invoices } from './invoices.js';
import { InvoiceFinalizer } from './invoice-finalizer.js';

/** The tasks of the process, by name, with their payloads. */
interface Payloads {
  /** For the invoice's excess, or for a credit note on it. */
  'credit-balance': { invoice: InvoiceOnBalance; amount: DecimalString; creditNoteId?: string };
  'settle-balance': { invoiceId: string };
  'return-give-backs': { invoiceId: string };
  'void-credit-note': { invoiceId: string; creditNoteId: string; reason: string | null };
}

/**
 * Keeps customers' balances right by what becomes of invoices: adds what an invoice gives back beyond what it charges as it is
 * opened, unless it is owed on the invoices that it gives back of, and returns what was taken for one that was voided, or opened by somebody else with less. What one that was voided gave back
 * of earlier invoices is theirs again. A credit note whose credit was taken out of a balance becomes void.
 */
@Injectable()
export class BalanceProcess extends ProcessManager {
  readonly name = 'balances';

  constructor(
    private readonly balances: Balances,
    private readonly finalizer: InvoiceFinalizer,
    private readonly creditNotes: CreditNotes,
    private readonly invoices: Invoices,
    private readonly giveBacks: GiveBacks,
    private readonly excessSettler: ExcessSettler,
    private readonly clock: WorkspaceClock,
  ) {
    super();
  }

  override react(recorded: RecordedEvent): TaskRequest[] {
    const event = recorded as Recorded<InvoiceEvent | BalanceEvent>;
    switch (event.type) {
      case 'InvoiceOpened': {
        const { invoiceId, customerId, currency, balanceCredited: amount, balanceApplied } = event.data;
        const invoice = { invoiceId, customerId, currency };
        return [
          ...(amount === undefined ? [] : [request('credit-balance', { invoice, amount })]),
          ...(balanceApplied === undefined ? [] : [request('settle-balance', { invoiceId })]),
        ];
      }
      // Of what was taken and what became of the invoice, the one that comes second leads to a task that sees both.
      case 'BalanceApplied':
        return [request('settle-balance', { invoiceId: event.data.invoiceId })];
      // Whoever voids it returns what it gave back, too; this is for the case that it dies before it has.
      case 'InvoiceVoided': {
        const { invoiceId } = event.data;
        return [request('settle-balance', { invoiceId }), request('return-give-backs', { invoiceId })];
      }
      // Whoever issues it adds it, too; this is for the case that it dies before it has.
      case 'CreditNoteIssued': {
        const { invoiceId, customerId, currency, note } = event.data;
        const { creditNoteId, toBalance: amount } = note;
        if (isNothing(amount)) return [];
        const invoice = { invoiceId, customerId, currency };
        return [request('credit-balance', { invoice, amount, creditNoteId })];
      }
      // Whoever voids the note goes on to the invoice, too; this is for the case that it dies before it has.
      case 'BalanceDebited': {
        const { invoiceId, creditNoteId, reason } = event.data;
        return [request('void-credit-note', { invoiceId, creditNoteId, reason })];
      }
      case 'CreditNoteNumbered':
      case 'CreditNoteRefunded':
      case 'CreditNoteVoided':
      case 'InvoiceLinesGivenBack':
      case 'InvoiceGiveBackReturned':
      case 'InvoiceReduced':
      case 'PaymentRefundStarted':
      case 'PaymentRefunded':
      case 'BalanceCredited':
      case 'BalanceReturned':
      case 'InvoiceCreated':
      case 'DraftRecomputed':
      case 'PaymentStarted':
      case 'PaymentActionRequired':
      case 'PaymentConfirmed':
      case 'PaymentSucceeded':
      case 'PaymentFailed':
      case 'InvoicePaid':
      case 'InvoiceMarkedUncollectible':
        return [];
      default:
        return [];
    }
  }

  override async perform(task: Task): Promise<void> {
    const context = await contextOfTask(this.name, this.clock, task);
    switch (task.name as keyof Payloads) {
      case 'credit-balance': {
        const { invoice, amount, creditNoteId } = task.payload as Payloads['credit-balance'];
        if (creditNoteId !== undefined)
          return this.creditNotes.creditBalance(context, invoice, { creditNoteId, toBalance: amount });
        return this.addExcess(context, invoice, amount);
      }
      case 'settle-balance':
        return this.finalizer.settleBalance(context, (task.payload as Payloads['settle-balance']).invoiceId);
      case 'return-give-backs': {
        const { invoiceId } = task.payload as Payloads['return-give-backs'];
        return this.giveBacks.returnAll(context, await this.invoices.require(context.workspaceId, invoiceId));
      }
      case 'void-credit-note': {
        const payload = task.payload as Payloads['void-credit-note'];
        await this.invoices.execute(context, { type: 'VoidCreditNote', at: context.now, ...payload });
        return;
      }
    }
  }

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

function request<Name extends keyof Payloads>(name: Name, payload: Payloads[Name]): TaskRequest {
  return { name, payload };
}
