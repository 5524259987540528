import { Decimal, decimalString, deriveId, moneyString, sumOf, storedTranslations } from '#libs/kernel/core';
import type { PriceSnapshot } from './charges.js';
import type { InvoiceLine } from './invoice-line.js';
import { describeLine } from './line-description.js';

/**
 * The maximum size of an invoice's lines, in bytes. An invoice is stored in one event, and the event store accepts no append above a
 * mebibyte (EventStoreDB's default).
 */
const MAX_BYTES = 512 * 1_024;
const MAX_LINES = 1_000;
/** The maximum length of a usage group's name, in characters. */
const MAX_NAME = 200;

/** The invoice lines of one charge, in order. */
export interface ChargeLines {
  readonly price: PriceSnapshot;
  readonly lines: readonly InvoiceLine[];
}

/**
 * Merges lines until they fit on an invoice. The events that customers send determine the number and the names of usage groups, so there
 * can be too many lines. If the lines do not fit, the groups of the largest charge are merged into one line. The next largest charge
 * follows, and so on. Merging does not change the charged amount. If several subscriptions share an invoice, the limits are divided by the
 * number of subscriptions.
 */
export function fitLinesOnInvoice(
  charges: readonly ChargeLines[],
  { invoiceId, subscriptionCount = 1 }: { readonly invoiceId: string; readonly subscriptionCount?: number },
): InvoiceLine[] {
  const parts = charges.map((charge) => ({ charge, ...sizeOf(charge) }));
  for (;;) {
    const lines = parts.reduce((sum, { charge }) => sum + charge.lines.length, 0);
    const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
    const largest = parts
      .filter(({ groups }) => groups > 1)
      .reduce<(typeof parts)[number] | undefined>(
        (most, part) => (most && most.bytes >= part.bytes ? most : part),
        undefined,
      );
    if ((lines <= MAX_LINES / subscriptionCount && bytes <= MAX_BYTES / subscriptionCount) || !largest)
      return parts.flatMap(({ charge }) => charge.lines);
    const charge = mergeGroups(largest.charge, invoiceId);
    Object.assign(largest, { charge, ...sizeOf(charge) });
  }
}

/** The name of a usage group, shortened if it is too long to print. */
export function shortenGroupName(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}

function sizeOf({ lines }: ChargeLines): { bytes: number; groups: number } {
  return {
    bytes: Buffer.byteLength(JSON.stringify(lines)),
    groups: lines.filter(({ type }) => type === 'usage').length,
  };
}

/** Merges all usage groups into one line. The amount that is missing to the price's minimum keeps its separate line. */
function mergeGroups({ price, lines }: ChargeLines, invoiceId: string): ChargeLines {
  const groups = lines.filter(({ type }) => type === 'usage');
  const [first] = groups as [InvoiceLine];
  const {
    priceId,
    priceVersion,
    metricId,
    metricVersion,
    usageWatermark,
    periodStart,
    periodEnd,
    taxRateIds,
  } = first;
  const sum = (amounts: string[]) => sumOf(amounts.map((amount) => new Decimal(amount)));
  const money = (amounts: string[]) => moneyString(sum(amounts), price.config.currency);
  const isCut = groups.some(({ amountBeforeMaximum }) => amountBeforeMaximum !== undefined);
  const line: InvoiceLine = {
    id: deriveId('line', invoiceId, priceId!, String(priceVersion), periodStart, periodEnd, 'together'),
    type: 'usage',
    description: describeLine(price.name, 'together'),
    ...storedTranslations(price.nameTranslations),
    priceId,
    priceVersion,
    metricId: metricId!,
    metricVersion: metricVersion!,
    usageWatermark: usageWatermark!,
    quantity: decimalString(sum(groups.map(({ quantity }) => quantity))),
    amount: money(groups.map(({ amount }) => amount)),
    ...(isCut
      ? {
          amountBeforeMaximum: money(
            groups.map(({ amount, amountBeforeMaximum }) => amountBeforeMaximum ?? amount),
          ),
        }
      : {}),
    periodStart,
    periodEnd,
    ...(taxRateIds === undefined ? {} : { taxRateIds }),
  };
  return { price, lines: [line, ...lines.filter(({ type }) => type !== 'usage')] };
}
