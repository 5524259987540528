import { Decimal, moneyString, sumOf, type DecimalString } from '#libs/kernel/core';
import { apportion, roundTogether, type InvoiceLine, type LineNetAmount } from '#libs/rating';
import { creditNoteStatusOf, type CreditNote } from './credit-notes/credit-note.js';
import type { Invoice } from './invoice.js';
import { amountsReturnedAtGateway, type InvoiceWithReturns } from './gateway-returns.js';
import { linesOfWholeInvoice } from './invoice-parts.js';

/** The amount of an invoice line that can still be given back. Amounts have the currency's decimals, and do not include added taxes. */
export interface CreditableLine {
  readonly lineId: string;
  /**
   * The amount that the line charged, less coupon discounts and less usage that earlier invoices had already charged. The amount is never
   * below zero, because a line that itself gives back an amount cannot be credited.
   */
  readonly net: DecimalString;
  /**
   * The amount `net` less the amounts that credit notes and later invoices gave back, and less what went back at the payment processor.
   * Zero if the invoice is void.
   */
  readonly left: DecimalString;
}

/**
 * The fields of an invoice that determine how much of each line can still be given back. If `givenBack` is absent, no later invoice gave an
 * amount back.
 */
export type InvoiceWithGiveBacks = Pick<Invoice, 'status' | 'lines' | 'currency' | 'creditNotes' | 'total'> &
  Partial<Pick<Invoice, 'givenBack'>> &
  InvoiceWithReturns;

/**
 * Computes for each line of an invoice the amount that can still be given back, in the order of the lines. Credit notes and invoices that
 * give amounts back all use `creditableLines`, so their amounts agree. If `invoice` is the part of one subscription, only the lines of that
 * subscription are returned.
 */
export function creditableLines(invoice: InvoiceWithGiveBacks): CreditableLine[] {
  const { lines, currency, status, creditNotes, givenBack = [] } = invoice;
  const taken = Map.groupBy(
    [
      ...creditNotes.flatMap((note) => allocationsOf(note, invoice)),
      ...[...givenBack, ...amountsReturnedAtGateway(invoice)].flatMap((giveBack) => giveBack.lines),
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
 * Computes for each line the amount that the invoice `laterInvoiceId` can give back. The invoice `laterInvoiceId` is not opened yet. The
 * give-back that `laterInvoiceId` has recorded is not deducted, because the later invoice can replace that record.
 */
export function linesCreditableBy(laterInvoiceId: string, invoice: InvoiceWithGiveBacks): CreditableLine[] {
  return creditableLines(withoutGiveBacksOf(laterInvoiceId, invoice));
}

/** Returns the invoice without the give-back that `laterInvoiceId` has recorded. */
export function withoutGiveBacksOf<Given extends Pick<InvoiceWithGiveBacks, 'givenBack'>>(
  laterInvoiceId: string,
  invoice: Given,
): Given {
  const { givenBack = [] } = invoice;
  return { ...invoice, givenBack: givenBack.filter((one) => one.byInvoiceId !== laterInvoiceId) };
}

/**
 * The net amount of each line that a credit note credits. The result is empty for a void credit note. For an old credit note without
 * allocations, the amounts are computed.
 */
export function allocationsOf(note: CreditNote, invoice: InvoiceWithGiveBacks): readonly LineNetAmount[] {
  if (creditNoteStatusOf(note) === 'void') return [];
  return note.allocations ?? allocatedBefore(note, invoice);
}

/**
 * Computes the allocations of an old credit note. If the credit note has line amounts, the share of a line that the note credits also
 * applies to the line's net amount. For example, a note that credits half of a line credits half of the line's net amount. If the credit
 * note has only one amount, that amount credits all lines above zero, in proportion to their amounts.
 */
function allocatedBefore(
  note: Pick<CreditNote, 'lines' | 'total'>,
  invoice: InvoiceWithGiveBacks,
): LineNetAmount[] {
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

/** For a credit note with only one amount: that amount divided by the invoice's positive charges with taxes. */
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
 * The net charge of each invoice line, by line id. Usage that earlier invoices had charged is deducted in proportion from the lines for the
 * same usage. If a part of an earlier charge was given back, that part is not deducted.
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
