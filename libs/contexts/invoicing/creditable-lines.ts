import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { apportion, roundTogether, type InvoiceLine, type LineNet } from '#libs/rating';
import { creditNoteStatusOf, type CreditNote } from './credit-notes/credit-note.js';
import type { Invoice } from './invoice.js';
import { linesOfWholeInvoice } from './invoice-parts.js';

/** The amount of an invoice line that can still be given back. Amounts have the currency's decimals, and do not include added taxes. */
export interface CreditableLine {
  readonly lineId: string;
  /**
   * The amount that the line charged, less its coupons and less usage that earlier invoices had already charged. It is never below zero,
   * because nothing is left of a line that itself gives back.
   */
  readonly net: DecimalString;
  /** `net` less the amounts that credit notes and later invoices gave back. Zero if the invoice is void. */
  readonly left: DecimalString;
}

/** The fields of an invoice that determine the remaining amounts of its lines. If `givenBack` is absent, there are no give-backs. */
export type InvoiceWithGiveBacks = Pick<Invoice, 'status' | 'lines' | 'currency' | 'creditNotes' | 'total'> &
  Partial<Pick<Invoice, 'givenBack'>>;

/**
 * Computes for each line of an invoice the amount that can still be given back, in the order of the lines. Credit notes and give-backs all
 * use this function, so their amounts agree. If `invoice` is the part of one subscription, only the lines of that subscription are
 * returned.
 */
export function creditableLines(invoice: InvoiceWithGiveBacks): CreditableLine[] {
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
 * Computes for each line the amount that the invoice `laterInvoiceId` can give back. That invoice is not opened yet. Its own recorded
 * give-back is not deducted, because it can replace that record.
 */
export function linesCreditableBy(laterInvoiceId: string, invoice: InvoiceWithGiveBacks): CreditableLine[] {
  return creditableLines(withoutGiveBacksOf(laterInvoiceId, invoice));
}

/** The invoice without the recorded give-back of `laterInvoiceId`. */
export function withoutGiveBacksOf<Given extends Pick<InvoiceWithGiveBacks, 'givenBack'>>(
  laterInvoiceId: string,
  invoice: Given,
): Given {
  const { givenBack = [] } = invoice;
  return { ...invoice, givenBack: givenBack.filter((one) => one.byInvoiceId !== laterInvoiceId) };
}

/**
 * The net amount of each line that a credit note credits. Empty for a void note. For an old note without allocations, the amounts are
 * computed.
 */
export function allocationsOf(note: CreditNote, invoice: InvoiceWithGiveBacks): readonly LineNet[] {
  if (creditNoteStatusOf(note) === 'void') return [];
  return note.allocations ?? allocatedBefore(note, invoice);
}

/**
 * Computes the allocations of an old note. If the note has line amounts, each line's net amount is credited by the share of the line that
 * the note credits. For example, half of the line credits half of its net amount. If the note has one amount, that amount credits all lines
 * above zero, in proportion to their amounts.
 */
function allocatedBefore(
  note: Pick<CreditNote, 'lines' | 'total'>,
  invoice: InvoiceWithGiveBacks,
): LineNet[] {
  const { currency } = invoice;
  const lines = linesOfWholeInvoice(invoice);
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

/** The share of the invoice's positive charges, with taxes, that a note with one amount credits. */
function shareOfAll({ total }: Pick<CreditNote, 'total'>, invoice: InvoiceWithGiveBacks): Decimal {
  const nets = linesOfWholeInvoice(invoice).map(netOf);
  const whole = sumOf(nets);
  if (whole.isZero() || new Decimal(invoice.total).isZero()) return new Decimal(0);
  const charged = sumOf(nets.filter((net) => net.gt(0)))
    .times(invoice.total)
    .dividedBy(whole);
  return new Decimal(total).dividedBy(charged);
}

/**
 * The net charge of each line, by line id. Usage that earlier invoices had charged is deducted, in proportion, from the lines for the same
 * usage. Give-backs of those earlier invoices are not deducted.
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

/** A key that is equal for lines of the same usage. */
function usageOf({ subscriptionId, priceId, priceVersion, periodStart, periodEnd }: InvoiceLine): string {
  return [subscriptionId, priceId, priceVersion, periodStart, periodEnd].join(' ');
}

function chargedNet(line: InvoiceLine): Decimal {
  return Decimal.max(netOf(line), 0);
}

function netOf({ amount, discount = '0' }: InvoiceLine): Decimal {
  return new Decimal(amount).minus(discount);
}
