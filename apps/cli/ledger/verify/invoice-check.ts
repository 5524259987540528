import type { IssuedInvoices } from '#libs/billing';
import type { Catalog } from '#libs/catalog';
import { moneyString, sumOf, Unavailable } from '#libs/core';
import type { Recorded, StreamReader } from '#libs/event-store';
import { aggregateId } from '#libs/event-store';
import {
  invoiceDecider,
  withoutAmounts,
  type Invoice,
  type InvoiceEvent,
  type InvoiceReference,
} from '#libs/invoicing';
import { isTransient } from '#libs/postgres';
import type { TaskProgress } from '#libs/saga';
import { decidedBill, subscriptionDecider, type Bill } from '#libs/subscriptions';
import { BalanceCheck } from './balance-check.js';
import { differencesText, fieldDifferences, valueText, type Difference } from './difference.js';
import { creditNoteProblems } from './credit-note-problems.js';
import { invoiceProblems } from './invoice-problems.js';
import { invoiceName, type InvoiceStream } from './invoice-stream.js';
import type { BillEvent, OpenBills } from './open-bills.js';

/** Computes invoices again, out of what they name, and looks whether each bill has become one. */
export class InvoiceCheck {
  private readonly balances: BalanceCheck;

  constructor(
    private readonly streams: StreamReader,
    private readonly bills: OpenBills,
    private readonly catalog: Catalog,
    private readonly issued: IssuedInvoices,
    private readonly tasks: TaskProgress,
  ) {
    this.balances = new BalanceCheck(streams, tasks);
  }

  /** What is wrong with an invoice, by itself and beside its bill, the catalog, the usage log and the customer's balance. */
  async check(invoice: InvoiceStream): Promise<Difference[]> {
    const subject = invoiceName(invoice);
    const { position } = invoice.created;
    const problems = await this.issueProblems(invoice);
    return [
      ...problems.map((problem) => ({ position, subject, problem })),
      ...referenceProblems(invoice).map((problem) => ({ ...problem, subject })),
      ...creditNoteProblems(invoice).map((problem) => ({ ...problem, subject })),
      ...(await this.balances.check(invoice)).map((problem) => ({ ...problem, subject })),
    ];
  }

  /** What is wrong with a bill whose invoice has not come by: nothing if it has just not been made yet. */
  async checkOpen({ bill, event }: BillEvent): Promise<Difference[]> {
    const { accountId } = event.metadata;
    const stream = `${invoiceDecider.category}-${aggregateId(accountId, bill.invoiceId)}`;
    // In this order: when the task has been done, the invoice is there.
    if (await this.tasks.isUnderWay('billing', 'issue-invoice', event)) return [];
    if (await this.streams.has(stream)) return [];
    const subject = `bill of ${bill.subscriptionId} of ${accountId} (${event.type})`;
    const problem = `its invoice ${bill.invoiceId} was never made`;
    return [{ position: event.position, subject, problem }];
  }

  private async issueProblems({ created, events }: InvoiceStream): Promise<string[]> {
    const { invoiceId, subscriptionId, kind, lines, currency, total } = created.data;
    const { accountId } = created.metadata;
    if (kind === 'manual')
      return invoiceProblems(created.data, await this.issued.recomputeItems(accountId, created.data));
    if (subscriptionId === null) {
      const sum = moneyString(sumOf(lines.map(({ amount }) => amount)), currency);
      return sum === total ? [] : [`total ${total} was issued, and the lines sum to ${sum}`];
    }
    const decided = this.bills.take(invoiceId) ?? (await this.findBill(accountId, subscriptionId, invoiceId));
    if (!decided) return [`no bill of ${subscriptionId} asks for it`];
    try {
      return [
        ...invoiceProblems(created.data, await this.issued.recompute(accountId, decided.bill, created.data)),
        ...(await this.issued.lateProblems(accountId, decided.bill, created.data)),
        ...(await this.issued.invoicedProblems(accountId, decided.bill, created.data)),
        ...(await this.recomputedProblems(decided.bill, created, events)),
        ...(await this.billProblems(decided)),
      ];
    } catch (error) {
      if (error instanceof Unavailable || isTransient(error)) throw error;
      return [`it cannot be computed again: ${(error as Error).message}`];
    }
  }

  /** What is wrong with what a draft came to when it was computed again. */
  private async recomputedProblems(
    bill: Bill,
    { data, metadata }: InvoiceStream['created'],
    events: InvoiceStream['events'],
  ): Promise<string[]> {
    const problems: string[] = [];
    for (const event of events as readonly Recorded<InvoiceEvent>[]) {
      if (event.type !== 'DraftRecomputed') continue;
      const issued = { ...withoutAmounts(data), ...event.data };
      problems.push(
        ...invoiceProblems(issued, await this.issued.recompute(metadata.accountId, bill, issued)),
        ...(await this.issued.lateProblems(metadata.accountId, bill, issued)),
        ...(await this.issued.invoicedProblems(metadata.accountId, bill, issued)),
      );
    }
    return problems;
  }

  /** Prices and minimum commitments that are not as the catalog has them in that version. */
  private async billProblems({ bill, event }: BillEvent): Promise<string[]> {
    const problems: string[] = [];
    for (const { price } of bill.charges) {
      const { priceId, version } = price;
      const must = await this.catalog.priceVersion(event.metadata.accountId, priceId, version);
      const differences = fieldDifferences(must, price);
      if (differences.length > 0)
        problems.push(
          `its bill at position ${event.position} has version ${version} of ${priceId} otherwise than the catalog: ` +
            differencesText(differences),
        );
    }
    for (const { planId, planVersion, minimum } of bill.commitment?.parts ?? []) {
      const plan = await this.catalog.planVersion(event.metadata.accountId, planId, planVersion);
      if (plan.minimumCommitment !== minimum)
        problems.push(
          `its bill at position ${event.position} commits to ${minimum}, and version ${planVersion} of ${planId} to ${plan.minimumCommitment ?? 'nothing'}`,
        );
    }
    return problems;
  }

  private async findBill(
    accountId: string,
    subscriptionId: string,
    invoiceId: string,
  ): Promise<BillEvent | undefined> {
    const stream = `${subscriptionDecider.category}-${aggregateId(accountId, subscriptionId)}`;
    for (const event of await this.streams.read(stream)) {
      const bill = decidedBill(event);
      if (bill?.invoiceId === invoiceId) return { bill, event };
    }
    return undefined;
  }
}

const REFERENCE = [
  'invoiceId',
  'customerId',
  'currency',
  'total',
] as const satisfies (keyof InvoiceReference)[];

/** Events that say something else about the invoice than what they lead to. */
function referenceProblems({ created, events }: InvoiceStream): Omit<Difference, 'subject'>[] {
  let state: Invoice | undefined;
  if (events[0]?.position !== created.position)
    return [{ position: created.position, problem: `its stream ${created.stream} does not begin with it` }];
  return (events as readonly Recorded<InvoiceEvent>[]).flatMap(({ type, data, position }) => {
    try {
      const now = (state = invoiceDecider.evolve(state, { type, data } as InvoiceEvent));
      return REFERENCE.filter((field) => data[field] !== now[field]).map((field) => ({
        position,
        problem: `${type} says ${field} ${valueText(data[field])}, and it is ${valueText(now[field])}`,
      }));
    } catch (error) {
      return [{ position, problem: `${type} does not go with what was before: ${(error as Error).message}` }];
    }
  });
}
