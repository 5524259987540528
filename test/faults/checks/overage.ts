import { Decimal } from '#libs/kernel/core';
import { OVERAGE_PRICE } from '../load/workspace.ts';
import type { Facts, Invoice, InvoiceLine, Wallet } from './facts.ts';
import { doubled, lost, wrong, type Finding } from './finding.ts';
import { sumOfAmounts } from './money.ts';

/**
 * The credits that a wallet lacked are billed once. Those of a voided invoice are on the next one, so they are not billed only if the last
 * invoice was voided. A customer without a subscription is not billed.
 */
export function checkOverage({ wallets, invoices, subscriptions, clock }: Facts): Finding[] {
  // What was lacked in a month that is not over is not billed yet.
  const month = `${clock.slice(0, 7)}-01T00:00:00.000Z`;
  const subscribed = new Set(subscriptions.map(({ customerId }) => customerId));
  return wallets.flatMap((wallet) => {
    const { customerId, credits } = wallet;
    const own = invoices
      .filter((invoice) => invoice.customerId === customerId)
      .map((invoice) => ({ ...invoice, overage: overageOf(invoice, wallet) }))
      .filter(({ overage }) => overage.length > 0);
    // The list has the newest first. Overage that is billed again keeps its period, so periods do not order invoices.
    const [last] = own;
    const waiting = last?.status === 'void' ? quantityOf(last.overage) : new Decimal(0);
    const billed = quantityOf(
      own.filter(({ status }) => status !== 'void').flatMap(({ overage }) => overage),
    );
    const lacked = wallet.ledger
      .filter(({ createdAt }) => createdAt < month)
      .reduce((sum, { overage }) => sum.plus(overage), new Decimal(0));
    const expected = subscribed.has(customerId) ? lacked.minus(waiting) : new Decimal(0);
    const text = `The overage of ${customerId} in ${credits.type} is billed with ${billed.toFixed()} credits, in place of ${expected.toFixed()}`;
    return [
      ...(billed.eq(expected) ? [] : [(billed.gt(expected) ? doubled : lost)(text)]),
      ...own.flatMap(({ id, overage }) => checkAmounts(id, overage)),
      ...checkUsed(wallet, invoices),
    ];
  });
}

/** The credits that usage took are shown once. What no invoice was due for is not shown yet. */
function checkUsed({ customerId, credits, ledger }: Wallet, invoices: readonly Invoice[]): Finding[] {
  const shown = invoices
    .filter((invoice) => invoice.customerId === customerId && invoice.status !== 'void')
    .flatMap(({ creditsUsed }) => creditsUsed.filter(({ creditType }) => creditType === credits.type))
    .reduce((sum, used) => sum.plus(used.credits), new Decimal(0));
  const used = sumOfAmounts(ledger.filter(({ type }) => type === 'drawn_down')).negated();
  return shown.lte(used)
    ? []
    : [
        doubled(
          `Invoices of ${customerId} show ${shown.toFixed()} used credits in ${credits.type}, and ${used.toFixed()} were used`,
        ),
      ];
}

function overageOf({ lines }: Invoice, { credits }: Wallet): InvoiceLine[] {
  return lines.filter(({ type, creditType }) => type === 'overage' && creditType === credits.type);
}

function checkAmounts(invoiceId: string, lines: readonly InvoiceLine[]): Finding[] {
  return lines.flatMap(({ quantity, amount }) =>
    new Decimal(quantity).times(OVERAGE_PRICE).toDecimalPlaces(2).eq(amount)
      ? []
      : [wrong(`Invoice ${invoiceId} bills ${quantity} credits of overage with ${amount}`)],
  );
}

function quantityOf(lines: readonly InvoiceLine[]): Decimal {
  return lines.reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0));
}
