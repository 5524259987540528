import { isDeepStrictEqual } from 'node:util';
import { unbilledOverageInvoiceId, type IssuedInvoiceAuditor } from '#libs/contexts/billing';
import type { InvoiceDetails } from '#libs/contexts/invoicing';
import type { Recorded } from '#libs/kernel/domain';
import type { StreamReader } from '#libs/kernel/event-store';
import type { MeasuredLines, RevenueAccrualEvent } from './events.js';
import { overageAfter, readWalletAfter } from './unbilled-overage.js';
import {
  measuredLinesOf,
  unbilledAmountsOf,
  billOfUnbilledTime,
  subscriptionAt,
  subscriptionStreamName,
} from './unbilled-revenue.js';

/** Recomputes accruals from the subscription, the catalog and the usage log, to check the recorded accruals. */
export class AccrualAudit {
  constructor(
    private readonly streams: StreamReader,
    private readonly issued: IssuedInvoiceAuditor,
  ) {}

  /**
   * Returns a text for each problem of an accrual: recorded lines or amounts that differ from the recomputed ones. Throws NotFound if a
   * price or a metric is not in the catalog. Throws RangeError if a charge has no measured quantity.
   */
  async problems(workspaceId: string, event: Recorded<RevenueAccrualEvent>): Promise<string[]> {
    const { subscriptionId, at, unbilled, measured } = event.data;
    if (subscriptionId === null) return this.overageProblems(workspaceId, event);
    const events = await this.streams.read(subscriptionStreamName(workspaceId, subscriptionId));
    const found = subscriptionAt(events, at);
    const bill = found && billOfUnbilledTime(found.subscription, at);
    const open = unbilled.filter(({ invoiceId }) => invoiceId === null);
    if (!measured) return open.length === 0 ? [] : ['has amounts of unbilled time without a measurement'];
    if (!bill) return ['measures unbilled time, but the subscription had none'];
    const { exempt, ...recorded } = measured;
    const details = { ...bill, ...recorded, ...(exempt ? { taxExemption: 'exempt' } : {}) };
    const again = await this.issued.recompute(workspaceId, [bill], details as unknown as InvoiceDetails);
    const { lines } = measuredLinesOf(again);
    const problems = jsonEqual(lines, measured.lines) ? [] : ['has lines that do not come out again'];
    return [...problems, ...amountProblems(event.data, measured)];
  }

  private async overageProblems(
    workspaceId: string,
    { data, stream, revision }: Recorded<RevenueAccrualEvent>,
  ): Promise<string[]> {
    const { customerId, currency, at, measured, overage } = data;
    if (overage === undefined) return ['has neither a subscription nor a wallet'];
    const { creditType, credits } = overage;
    const key = { customerId, creditType };
    const earlier = (await this.streams.read(stream)) as Recorded<RevenueAccrualEvent>[];
    const before = earlier.find((one) => one.revision === revision - 1n)?.data.overage;
    const events = await readWalletAfter(this.streams, workspaceId, key, before);
    // Events of the same instant can be appended after the accrual, for example while a sandbox's clock stands still.
    const own = events.filter((one) => one.revision <= BigInt(overage.revision));
    const again = overageAfter(before, own);
    const isOfWallet =
      jsonEqual(again, { credits, revision: overage.revision }) &&
      own.every(({ metadata }) => metadata.occurredAt <= at);
    const problems = isOfWallet ? [] : ['has overage that is not that of the wallet'];
    if (!measured)
      return credits.length === 0 ? problems : [...problems, 'has overage without a measurement'];
    const { exempt, ...recorded } = measured;
    const billed = measured.lines.map(
      ({ metricId, quantity: amount, periodStart: start, periodEnd: end }, i) =>
        credits[i]?.period === undefined
          ? { metricId, amount }
          : { metricId, amount, period: { start, end } },
    );
    const details = {
      invoiceId: unbilledOverageInvoiceId(workspaceId, key, at),
      customerId,
      currency,
      ...recorded,
      ...(exempt ? { taxExemption: 'exempt' } : {}),
    };
    const { lines } = await this.issued.recomputeManualInvoice(
      workspaceId,
      details as unknown as InvoiceDetails,
    );
    return [
      ...problems,
      ...(jsonEqual(billed, credits) ? [] : ['has lines that are not those of its overage']),
      ...(jsonEqual(lines, measured.lines) ? [] : ['has lines that do not come out again']),
      ...amountProblems(data, measured),
    ];
  }
}

function amountProblems(
  { currency, at, timezone, unbilled }: RevenueAccrualEvent['data'],
  measured: MeasuredLines,
): string[] {
  const open = unbilled.filter(({ invoiceId }) => invoiceId === null);
  return jsonEqual(unbilledAmountsOf(measured, currency, at, timezone), open)
    ? []
    : ['has amounts that are not those of its lines'];
}

function jsonEqual(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
}
