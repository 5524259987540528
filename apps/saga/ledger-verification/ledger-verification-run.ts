import pMap from 'p-map';
import type { ChainLink } from '#libs/contexts/audit';
import { UnreadableEvent } from '#libs/kernel/event-store';
import { type Position, type RecordedEvent } from '#libs/kernel/domain';
import { isAuditEntry } from '#libs/manifest';
import { auditProjection, type AuditRow } from '#projections/audit';
import type { LastAuditEntry, LedgerDifference } from '#libs/outputs/books';
import { AccrualCheck, isRevenueAccrual } from './accrual-check.js';
import { AuditCheck } from './audit-check.js';
import { ClosedMonthMeasurementCheck } from './closed-month-measurement-check.js';
import { ClosedMonthsCheck } from './closed-months-check.js';
import { InvoiceCheck } from './invoice-check.js';
import { InvoiceRowsCheck } from './invoice-rows-check.js';
import { isInvoiceCreated, type InvoiceStream } from './invoice-stream.js';
import { LedgerRowsCheck } from './ledger-rows-check.js';
import { UnmatchedBills, type BillEvent } from './unmatched-bills.js';
import { PeekableSequence } from './peekable-sequence.js';
import type { ReadModelSnapshot } from './read-model-snapshot.js';
import type { VerifySources } from './verify-sources.js';

const AT_A_TIME = 16;

/**
 * Runs all checks while the log is read page by page, for all workspaces or for one. The memory of a run does not grow with the log.
 */
export class LedgerVerificationRun {
  eventCount = 0;
  invoiceCount = 0;
  differenceCount = 0;
  private readonly bills = new UnmatchedBills();
  private readonly audit: AuditCheck;
  private readonly invoiceCheck: InvoiceCheck;
  private readonly invoiceRows: InvoiceRowsCheck;
  private readonly ledgerRows: LedgerRowsCheck;
  private readonly accruals: AccrualCheck;
  private readonly closedMonths: ClosedMonthsCheck;
  private readonly closedMonthMeasurements: ClosedMonthMeasurementCheck;

  constructor(
    private readonly sources: VerifySources,
    readSide: ReadModelSnapshot,
    private readonly workspaceId: string | undefined,
    private readonly report: (difference: LedgerDifference) => void,
  ) {
    const { streams, anchors, catalog, issuedInvoices: issued, tasks } = sources;
    this.audit = new AuditCheck(
      new PeekableSequence(readSide.streamRows<AuditRow>('SELECT * FROM read.audit ORDER BY sequence')),
      new PeekableSequence(anchors.all()),
      readSide.positionOf(auditProjection.name),
      workspaceId,
    );
    this.invoiceCheck = new InvoiceCheck(streams, this.bills, catalog, issued, tasks);
    this.invoiceRows = new InvoiceRowsCheck(readSide, streams, workspaceId);
    this.ledgerRows = new LedgerRowsCheck(readSide, streams, workspaceId);
    this.accruals = new AccrualCheck(sources, this.ledgerRows);
    this.closedMonths = new ClosedMonthsCheck(readSide);
    this.closedMonthMeasurements = new ClosedMonthMeasurementCheck(sources, readSide);
  }

  get auditEntryCount(): number {
    return this.audit.entryCount;
  }

  get anchorCount(): number {
    return this.audit.anchorCount;
  }

  /** The newest link of the audit trail's hash chain. */
  get newestLink(): ChainLink {
    return this.audit.newestLink;
  }

  /** The newest entry of the verified workspaces in the audit trail; undefined if there is none. */
  get lastAuditEntry(): LastAuditEntry | undefined {
    return this.audit.lastEntry;
  }

  /** Checks the next events of the log. The audit trail needs the events of all workspaces. */
  async checkEvents(logged: readonly RecordedEvent[]): Promise<void> {
    const ofAudit: LedgerDifference[][] = [];
    for (const event of logged) if (isAuditEntry(event)) ofAudit.push(await this.audit.check(event));
    const unreadable: LedgerDifference[] = [];
    const events = logged.filter((event) => this.isVerified(event));
    this.eventCount += events.length;
    for (const event of events) {
      this.bills.observe(event);
      this.closedMonths.observe(event);
      this.closedMonthMeasurements.observe(event);
    }
    const read = (created: InvoiceStream['creation']) =>
      this.readInvoice(created).catch((error: unknown) => addUnreadableEvent(error, unreadable));
    const invoices = await pMap(events.filter(isInvoiceCreated), read, { concurrency: AT_A_TIME });
    const readable = invoices.filter((invoice) => invoice !== undefined);
    const accruals = events.filter(isRevenueAccrual);
    const check = (event: (typeof accruals)[0]) => unlessUnreadable(() => this.accruals.check(event));
    this.reportDifferences([
      ...ofAudit.flat(),
      ...unreadable,
      ...(await pMap(accruals, check, { concurrency: AT_A_TIME })).flat(),
      ...(await this.checkInvoices(readable)),
      ...(await this.checkOpen(this.bills.takeBeyondLimit())),
    ]);
  }

  /**
   * Runs the final checks after the log was read up to `head`: bills without an invoice, rows without an event, daily
   * balances, and closed months with their measurements. Throws the reason of `signal` if it is aborted.
   */
  async finish(head: Position, signal: AbortSignal): Promise<void> {
    const checks = [
      () => this.audit.finish(head),
      () => this.checkOpen(this.bills.takeAll()),
      () => this.invoiceRows.findRowsWithoutInvoice(),
      () => this.ledgerRows.findRowsWithoutStream(),
      () => this.ledgerRows.findWrongBalances(),
      () => this.closedMonths.finish(),
      () => unlessUnreadable(() => this.closedMonthMeasurements.finish(signal)),
    ];
    const found: LedgerDifference[][] = [];
    for (const check of checks) {
      signal.throwIfAborted();
      found.push(await check());
    }
    this.reportDifferences(found.flat());
  }

  /** Reports and counts differences. */
  reportDifferences(found: readonly LedgerDifference[]): void {
    this.differenceCount += found.length;
    for (const difference of found.toSorted(byPosition)) this.report(difference);
  }

  private isVerified({ metadata }: RecordedEvent): boolean {
    return this.workspaceId === undefined || metadata.workspaceId === this.workspaceId;
  }

  private async readInvoice(created: InvoiceStream['creation']): Promise<InvoiceStream> {
    return { creation: created, events: await this.sources.streams.read(created.stream) };
  }

  private async checkInvoices(invoices: readonly InvoiceStream[]): Promise<LedgerDifference[]> {
    this.invoiceCount += invoices.length;
    const check = (invoice: InvoiceStream) => unlessUnreadable(() => this.invoiceCheck.check(invoice));
    const found = await pMap(invoices, check, { concurrency: AT_A_TIME });
    return [
      ...found.flat(),
      ...(await this.invoiceRows.check(invoices)),
      ...(await this.ledgerRows.check(invoices)),
    ];
  }

  private async checkOpen(bills: readonly BillEvent[]): Promise<LedgerDifference[]> {
    const check = (bill: BillEvent) => unlessUnreadable(() => this.invoiceCheck.checkUnmatchedBill(bill));
    return (await pMap(bills, check, { concurrency: AT_A_TIME })).flat();
  }
}

/** Runs a check. If the check needs an event that cannot be read, such as a quarantined one, that event is the difference. */
async function unlessUnreadable(check: () => Promise<LedgerDifference[]>): Promise<LedgerDifference[]> {
  const found: LedgerDifference[] = [];
  return (await check().catch((error: unknown) => addUnreadableEvent(error, found))) ?? found;
}

/**
 * Adds a difference for an event that cannot be read. The invoice of the event cannot be checked further. Throws any other error again.
 */
function addUnreadableEvent(error: unknown, found: LedgerDifference[]): undefined {
  if (!(error instanceof UnreadableEvent)) throw error;
  found.push({ position: error.position, subject: 'log', problem: error.message });
  return undefined;
}

/** Sorts differences by position. Differences that are about no event come last. */
function byPosition({ position: a }: LedgerDifference, { position: b }: LedgerDifference): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  return b === undefined || a < b ? -1 : 1;
}
