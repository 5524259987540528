import type { IssuedInvoiceAuditor } from '#libs/contexts/billing';
import type { Catalog } from '#libs/contexts/catalog';
import { moneyString, sumOf, Unavailable } from '#libs/kernel/core';
import type { StreamReader } from '#libs/kernel/event-store';
import type { Recorded } from '#libs/kernel/domain';
import { aggregateId } from '#libs/kernel/domain';
import {
  invoiceDecider,
  subscriptionPartsOf,
  subscriptionIdsOf,
  omitRecomputedOptionalFields,
  type Invoice,
  type InvoiceDetails,
  type InvoiceEvent,
  type InvoiceReference,
} from '#libs/contexts/invoicing';
import { isTransient } from '#libs/kernel/postgres';
import { minimumAndIntervalOf } from '#libs/rating';
import type { TaskProgressReader } from '#libs/kernel/saga';
import { billOfEvent, subscriptionDecider, type Bill } from '#libs/contexts/subscriptions';
import type { LedgerDifference } from '#libs/outputs/books';
import { CustomerBalanceCheck } from './customer-balance-check.js';
import { differencesText, fieldDifferences, valueText } from './difference.js';
import { creditNoteProblems } from './credit-note-problems.js';
import { invoiceProblems } from './invoice-problems.js';
import { invoiceDifferenceSubject, type InvoiceStream } from './invoice-stream.js';
import type { BillEvent, UnmatchedBills } from './unmatched-bills.js';

/** Computes invoices again from the price versions and usage that they name, and checks that each bill has become an invoice. */
export class InvoiceCheck {
  private readonly balances: CustomerBalanceCheck;

  constructor(
    private readonly streams: StreamReader,
    private readonly bills: UnmatchedBills,
    private readonly catalog: Catalog,
    private readonly issued: IssuedInvoiceAuditor,
    private readonly tasks: TaskProgressReader,
  ) {
    this.balances = new CustomerBalanceCheck(streams, tasks);
  }

  /**
   * Checks an invoice against its bill, the catalog, the usage log, the customer's balance and its own events. Returns the differences.
   */
  async check(invoice: InvoiceStream): Promise<LedgerDifference[]> {
    const subject = invoiceDifferenceSubject(invoice);
    const { position } = invoice.creation;
    const problems = await this.issueProblems(invoice);
    return [
      ...problems.map((problem) => ({ position, subject, problem })),
      ...referenceProblems(invoice).map((problem) => ({ ...problem, subject })),
      ...creditNoteProblems(invoice).map((problem) => ({ ...problem, subject })),
      ...(await this.balances.check(invoice)).map((problem) => ({ ...problem, subject })),
    ];
  }

  /**
   * Returns the differences of a bill whose invoice was not found in the log. Returns no differences while the task that issues the invoice
   * is not done.
   */
  async checkUnmatchedBill({ bill, event }: BillEvent): Promise<LedgerDifference[]> {
    const { workspaceId } = event.metadata;
    const stream = `${invoiceDecider.category}-${aggregateId(workspaceId, bill.invoiceId)}`;
    // The task is checked before the streams are read. If the task is done, its invoice exists.
    if (await this.tasks.isEventTaskUnfinished('billing', 'issue-invoice', event)) return [];
    const problem = await this.openProblem(bill, stream);
    if (problem === undefined) return [];
    const subject = `bill of ${bill.subscriptionId} of ${workspaceId} (${event.type})`;
    return [{ position: event.position, subject, problem }];
  }

  /** Describes the problem of a bill without an invoice. A consolidated invoice can exist but lack the subscription of the bill. */
  private async openProblem(
    { invoiceId, subscriptionId, consolidated }: Bill,
    stream: string,
  ): Promise<string | undefined> {
    if (!(await this.streams.has(stream))) return `its invoice ${invoiceId} was never made`;
    if (!consolidated) return undefined;
    const [created] = (await this.streams.read(stream)) as Recorded<InvoiceEvent>[];
    const isOnIt =
      created?.type === 'InvoiceCreated' && subscriptionIdsOf(created.data).includes(subscriptionId);
    return isOnIt ? undefined : `its invoice ${invoiceId} was made without it`;
  }

  private async issueProblems({ creation: created, events }: InvoiceStream): Promise<string[]> {
    const { data } = created;
    const { kind, lines, currency, total } = data;
    const { workspaceId } = created.metadata;
    if (kind === 'manual' || kind === 'credit_purchase' || kind === 'overage')
      return invoiceProblems(data, await this.issued.recomputeManualInvoice(workspaceId, data));
    const subscriptionIds = subscriptionIdsOf(data);
    if (subscriptionIds.length === 0) {
      const sum = moneyString(sumOf(lines.map(({ amount }) => amount)), currency);
      return sum === total ? [] : [`total ${total} was issued, and the lines sum to ${sum}`];
    }
    const decided: BillEvent[] = [];
    for (const subscriptionId of subscriptionIds) {
      const of = { invoiceId: data.invoiceId, subscriptionId };
      const bill = this.bills.take(of) ?? (await this.findBill(workspaceId, of));
      if (!bill) return [`no bill of ${subscriptionId} asks for it`];
      decided.push(bill);
    }
    const bills = decided.map(({ bill }) => bill);
    try {
      return [
        ...(await this.computedProblems(workspaceId, bills, data)),
        ...(await this.recomputedProblems(bills, created, events)),
        ...(await Promise.all(decided.map((one) => this.billProblems(one)))).flat(),
      ];
    } catch (error) {
      if (error instanceof Unavailable || isTransient(error)) throw error;
      return [`it cannot be computed again: ${(error as Error).message}`];
    }
  }

  /**
   * Computes an invoice again from its bills. Also checks each subscription's late usage, and the deduction of usage that earlier invoices
   * have charged.
   */
  private async computedProblems(
    workspaceId: string,
    bills: readonly Bill[],
    issued: InvoiceDetails,
  ): Promise<string[]> {
    const problems = invoiceProblems(issued, await this.issued.recompute(workspaceId, bills, issued));
    const parts = subscriptionPartsOf(issued);
    for (const [i, bill] of bills.entries())
      problems.push(
        ...(await this.issued.findLateUsageProblems(workspaceId, bill, parts[i]!)),
        ...(await this.issued.findEarlierUsageChargeProblems(workspaceId, bill, parts[i]!)),
      );
    return problems;
  }

  /** Checks each `DraftRecomputed` event against a new computation. Returns the differences. */
  private async recomputedProblems(
    bills: readonly Bill[],
    { data, metadata }: InvoiceStream['creation'],
    events: InvoiceStream['events'],
  ): Promise<string[]> {
    const problems: string[] = [];
    for (const event of events as readonly Recorded<InvoiceEvent>[]) {
      if (event.type !== 'DraftRecomputed') continue;
      const issued = { ...omitRecomputedOptionalFields(data), ...event.data };
      problems.push(...(await this.computedProblems(metadata.workspaceId, bills, issued)));
    }
    return problems;
  }

  /**
   * Compares the prices and minimum commitments of a bill with the versions of prices and plans that the bill names. Returns those that
   * differ.
   */
  private async billProblems({ bill, event }: BillEvent): Promise<string[]> {
    const problems: string[] = [];
    for (const { price } of bill.charges) {
      const { priceId, version } = price;
      const must = await this.catalog.priceVersion(event.metadata.workspaceId, priceId, version);
      const differences = fieldDifferences(must, price);
      if (differences.length > 0)
        problems.push(
          `in its bill at position ${event.position}, version ${version} of ${priceId} differs from the catalog: ` +
            differencesText(differences),
        );
    }
    for (const { planId, planVersion, minimum, interval } of bill.commitment?.parts ?? []) {
      const plan = await this.catalog.planVersion(event.metadata.workspaceId, planId, planVersion);
      const must = plan.minimumCommitment === null ? null : minimumAndIntervalOf(plan.minimumCommitment);
      if (must?.minimum !== minimum || must.interval !== interval)
        problems.push(
          `its bill at position ${event.position} commits to ${commitmentText({ minimum, interval })}, ` +
            `but version ${planVersion} of ${planId} commits to ${must ? commitmentText(must) : 'nothing'}`,
        );
    }
    return problems;
  }

  private async findBill(
    workspaceId: string,
    { invoiceId, subscriptionId }: Pick<Bill, 'invoiceId' | 'subscriptionId'>,
  ): Promise<BillEvent | undefined> {
    const stream = `${subscriptionDecider.category}-${aggregateId(workspaceId, subscriptionId)}`;
    for (const event of await this.streams.read(stream)) {
      const bill = billOfEvent(event);
      if (bill?.invoiceId === invoiceId) return { bill, event };
    }
    return undefined;
  }
}

function commitmentText({ minimum, interval }: { minimum: string; interval?: string | undefined }): string {
  return `${minimum} ${interval ?? 'a billing period'}`;
}

const REFERENCE = [
  'invoiceId',
  'customerId',
  'currency',
  'total',
] as const satisfies (keyof InvoiceReference)[];

/**
 * Compares the invoice id, customer id, currency and total in each event with the invoice's state after the event. Returns the differences.
 * Also returns a difference if the stream does not begin with the invoice's creation, or if an event cannot follow the earlier events.
 */
function referenceProblems({
  creation: created,
  events,
}: InvoiceStream): Omit<LedgerDifference, 'subject'>[] {
  let state: Invoice | undefined;
  if (events[0]?.position !== created.position)
    return [{ position: created.position, problem: `its stream ${created.stream} does not begin with it` }];
  return (events as readonly Recorded<InvoiceEvent>[]).flatMap(({ type, data, position }) => {
    try {
      const now = (state = invoiceDecider.evolve(state, { type, data } as InvoiceEvent));
      return REFERENCE.filter((field) => data[field] !== now[field]).map((field) => ({
        position,
        problem: `${type} says ${field} ${valueText(data[field])}, but it is ${valueText(now[field])}`,
      }));
    } catch (error) {
      return [{ position, problem: `${type} does not fit the earlier events: ${(error as Error).message}` }];
    }
  });
}
