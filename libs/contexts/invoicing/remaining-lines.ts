import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { apportion, roundTogether, type InvoiceLine, type LineNet } from '#libs/rating';
import { statusOf, type CreditNote } from './credit-notes/credit-note.js';
import type { Invoice } from './invoice.js';
import { linesOfWhole } from './invoice-parts.js';

/** What is left of a line of an invoice. Money has the currency's digits; before taxes that are added. */
export interface RemainingLine {
  readonly lineId: string;
  /**
   * What it charged, less its own coupons and what its invoice left out of it, since others had charged that. Never below zero: a
   * line that gives back has nothing left.
   */
  readonly net: DecimalString;
  /** `net` less what credit notes and later invoices gave back; zero if the invoice is void. */
  readonly left: DecimalString;
}

/** What of an invoice says how much is left of its lines. Without `givenBack` later invoices gave back nothing. */
export type GivingInvoice = Pick<Invoice, 'status' | 'lines' | 'currency' | 'creditNotes' | 'total'> &
  Partial<Pick<Invoice, 'givenBack'>>;

/**
 * What is left of each line of an invoice, in their order: the one place that says so, for everybody who gives back. It works for an
 * invoice as one of its subscriptions sees it, too; it then answers the lines of that one.
 */
export function remainingLines(invoice: GivingInvoice): RemainingLine[] {
  const { lines, currency, status, creditNotes, givenBack = [] } = invoice;
  const taken = Map.groupBy(
    [
      ...creditNotes.flatMap((note) => allocationsOf(note, invoice)),
      ...givenBack.flatMap((giveBack) => giveBack.lines),
    ],
    ({ lineId }) => lineId,
  );
  const nets = chargedNets(lines, currency);
  return lines.map((line) => {
    const net = nets.get(line.id)!;
    const gone = sumOf((taken.get(line.id) ?? []).map(({ amount }) => amount));
    const left = status === 'void' ? new Decimal(0) : Decimal.max(net.minus(gone), 0);
    return { lineId: line.id, net: moneyString(net, currency), left: moneyString(left, currency) };
  });
}

/**
 * What is left of each line for the invoice `byInvoiceId`, which gives back and has not been opened yet. Its own record counts as left,
 * since it may record something else instead.
 */
export function remainingLinesFor(byInvoiceId: string, invoice: GivingInvoice): RemainingLine[] {
  return remainingLines(withoutGiveBackBy(byInvoiceId, invoice));
}

/** The invoice as if `byInvoiceId` had given back nothing of it. */
export function withoutGiveBackBy<Given extends Pick<GivingInvoice, 'givenBack'>>(
  byInvoiceId: string,
  invoice: Given,
): Given {
  const { givenBack = [] } = invoice;
  return { ...invoice, givenBack: givenBack.filter((one) => one.byInvoiceId !== byInvoiceId) };
}

/** Of which lines a credit note is, net; none if it is void. One that was stored without that is of them as it was understood then. */
export function allocationsOf(note: CreditNote, invoice: GivingInvoice): readonly LineNet[] {
  if (statusOf(note) === 'void') return [];
  return note.allocations ?? allocatedBefore(note, invoice);
}

/**
 * The rule for notes without allocations: one over lines gives back of each the share that it credits. One over an amount is of all
 * lines that charge something, in proportion to what they came to.
 */
function allocatedBefore(note: Pick<CreditNote, 'lines' | 'total'>, invoice: GivingInvoice): LineNet[] {
  const { currency } = invoice;
  const lines = linesOfWhole(invoice);
  const share = note.lines.length > 0 ? null : shareOfAll(note, invoice);
  const amounts = lines.map((line) => {
    const net = chargedNet(line);
    if (share !== null || net.isZero()) return net.times(share ?? 0);
    const credited = note.lines.filter(({ id }) => id === line.id).map(({ amount }) => amount);
    return net.times(sumOf(credited)).dividedBy(line.amount);
  });
  return roundTogether(amounts, currency).map((amount, i) => ({
    lineId: lines[i]!.id,
    amount: moneyString(amount, currency),
  }));
}

/** What share of all that an invoice charges, with its taxes, a note over an amount is. */
function shareOfAll({ total }: Pick<CreditNote, 'total'>, invoice: GivingInvoice): Decimal {
  const nets = linesOfWhole(invoice).map(netOf);
  const whole = sumOf(nets);
  if (whole.isZero() || new Decimal(invoice.total).isZero()) return new Decimal(0);
  const charged = sumOf(nets.filter((net) => net.gt(0)))
    .times(invoice.total)
    .dividedBy(whole);
  return new Decimal(total).dividedBy(charged);
}

/**
 * What lines charged, by their ids. Usage that an invoice leaves out, because others had charged it, is deducted from its lines for the
 * same usage, in proportion. Its give-backs of those others are not deducted.
 */
function chargedNets(lines: readonly InvoiceLine[], currency: string): Map<string, Decimal> {
  const nets = new Map(lines.map((line) => [line.id, chargedNet(line)]));
  const leavingOut = Map.groupBy(
    lines.filter(({ invoiced }) => invoiced !== undefined),
    usageOf,
  );
  for (const [usage, credits] of leavingOut) {
    const of = lines.filter((line) => line.invoiced === undefined && usageOf(line) === usage);
    const charged = of.map(chargedNet);
    const given = credits.flatMap(({ givesBack = [] }) => givesBack);
    const owed = sumOf([...charged, ...[...credits, ...given].map(({ amount }) => amount)]);
    apportion(Decimal.max(owed, 0), charged, currency).forEach((net, i) => nets.set(of[i]!.id, net));
  }
  return nets;
}

/** The same for lines for the same usage. */
function usageOf({ subscriptionId, priceId, priceVersion, periodStart, periodEnd }: InvoiceLine): string {
  return [subscriptionId, priceId, priceVersion, periodStart, periodEnd].join(' ');
}

function chargedNet(line: InvoiceLine): Decimal {
  return Decimal.max(netOf(line), 0);
}

function netOf({ amount, discount = '0' }: InvoiceLine): Decimal {
  return new Decimal(amount).minus(discount);
}
