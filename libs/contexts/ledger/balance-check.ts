import { Decimal, minorUnitDigits, sumOf } from '#libs/kernel/core';
import type { EventReference, LedgerTransaction } from './transaction.js';

/** The ledger cannot take an event, and so none after it. The message names the event. */
export class LedgerStopped extends Error {
  override readonly name = 'LedgerStopped';
}

/**
 * Debits and credits of a transaction must be equal, amounts must be ones that can be paid, and nothing may be left to
 * rounding. This stays on: every transaction is of one workspace and one currency, so the sum of each stays zero from
 * event to event.
 */
export function requireBalance(transaction: LedgerTransaction): void {
  const problem = problemOf(transaction);
  if (problem !== undefined)
    throw new LedgerStopped(`${nameOf(transaction.event)} ${problem}, effective ${transaction.at}`);
}

function problemOf({ currency, postings }: LedgerTransaction): string | undefined {
  const amounts = postings.map(({ amount }) => new Decimal(amount));
  const rest = sumOf(amounts);
  if (!rest.isZero()) return `would put the ledger out of balance by ${rest.toFixed()} ${currency}`;
  const digits = minorUnitDigits(currency);
  for (const [index, { account, amount }] of postings.entries()) {
    if (account === 'rounding') return `would leave ${amount} ${currency} to rounding`;
    if (amounts[index]!.decimalPlaces() > digits)
      return `would post ${amount} ${currency}, which has a fraction of the smallest unit`;
  }
  return undefined;
}

/** An event as a message names it. */
export function nameOf({ type, id, stream, position }: EventReference): string {
  return `${type} (event ${id}) of ${stream} at position ${position}`;
}
