import { Injectable } from '@nestjs/common';
import { aggregateId, StreamReader } from '#libs/event-store';
import { givesBackUsage, type InvoiceLine } from '#libs/rating';
import { decidedBill, subscriptionDecider } from '#libs/subscriptions';
import type { Invoice } from './invoice.js';
import { Invoices } from './invoices.js';

/**
 * Tells what of an invoice was given back on a later one of its subscription, because late usage made a period cheaper, or more usage
 * or a coupon made that cheaper which had been invoiced before its period was over.
 */
@Injectable()
export class LateCredits {
  constructor(
    private readonly invoices: Invoices,
    private readonly streams: StreamReader,
  ) {}

  /** The ids of the invoice's lines that bill such a period. */
  async linesOf(
    accountId: string,
    { invoiceId, subscriptionId, lines }: Invoice,
  ): Promise<ReadonlySet<string>> {
    const usage = lines.filter(
      ({ metricId, late, commitment, invoiced }) =>
        metricId !== undefined || late !== undefined || commitment !== undefined || invoiced !== undefined,
    );
    if (subscriptionId === null || usage.length === 0) return new Set();
    const later = await this.laterInvoices(accountId, subscriptionId, invoiceId);
    const credited = new Set(
      later
        .filter(({ status }) => status !== 'void')
        .flatMap((invoice) =>
          invoice.lines
            .filter((line) => isGivenBack(line, invoice.lines))
            .map((line) => usageName(line, invoice.invoiceId)),
        ),
    );
    const isCredited = (line: InvoiceLine) =>
      [usageName(line, invoiceId), ...wholeNames(line, invoiceId, later)].some((name) => credited.has(name));
    return new Set(usage.filter(isCredited).map((line) => line.id));
  }

  private async laterInvoices(
    accountId: string,
    subscriptionId: string,
    invoiceId: string,
  ): Promise<Invoice[]> {
    const stream = `${subscriptionDecider.category}-${aggregateId(accountId, subscriptionId)}`;
    const bills = (await this.streams.read(stream)).flatMap((event) => decidedBill(event) ?? []);
    const own = bills.findIndex((bill) => bill.invoiceId === invoiceId);
    const later = await Promise.all(
      bills.slice(own + 1).map((bill) => this.invoices.ofBill(accountId, bill)),
    );
    return later.filter((invoice) => invoice !== undefined);
  }
}

function isGivenBack(line: InvoiceLine, lines: readonly InvoiceLine[]): boolean {
  return (earlierInvoice(line) !== undefined && line.amount.startsWith('-')) || givesBackUsage(line, lines);
}

/** What later invoices charged over the whole of its time, of usage that the line charges before that was over. */
function wholeNames(line: InvoiceLine, invoiceId: string, later: readonly Invoice[]): string[] {
  return later.flatMap((one) =>
    one.lines
      .filter(
        ({ invoiced, priceId, priceVersion, periodStart }) =>
          invoiced?.invoiceIds.includes(invoiceId) === true &&
          priceId === line.priceId &&
          priceVersion === line.priceVersion &&
          periodStart === line.periodStart,
      )
      .map((whole) => usageName(whole, one.invoiceId)),
  );
}

/** The same for a period's usage, or its minimum commitment, and for what came late for it. `invoiceId`: the one that the line is on. */
function usageName(line: InvoiceLine, invoiceId: string): string {
  const { priceId, priceVersion, periodStart, periodEnd } = line;
  return [earlierInvoice(line) ?? invoiceId, priceId, priceVersion, periodStart, periodEnd].join(' ');
}

/** The invoice that billed what the line is the difference to. */
function earlierInvoice({ late, commitment }: InvoiceLine): string | undefined {
  return late?.invoiceId ?? commitment?.invoiceId;
}
