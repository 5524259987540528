import { Decimal, minorUnitDigits, sumOf } from '#libs/kernel/core';
import type { EventReference, LedgerTransaction } from './transaction.js';

/**
 * The error that is thrown for an event that the ledger cannot post. The ledger stops at this event. The ledger then posts no later events
 * of any workspace. The message names the event.
 */
export class LedgerStopped extends Error {
  override readonly name = 'LedgerStopped';
}

/**
 * Checks that the debits and credits of a transaction are equal. Checks that every amount is a whole number of the currency's smallest
 * unit. Checks that no amount is posted to `rounding`. The balance check also runs in production. Each transaction has one workspace and
 * one currency, so each workspace's sum in each currency stays zero.
 */
export function requireBalanced(transaction: LedgerTransaction): void {
  const problem = problemOf(transaction);
  if (problem !== undefined)
    throw new LedgerStopped(`${describeEvent(transaction.event)} ${problem}, effective ${transaction.at}`);
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

/** A description of an event for error messages. */
export function describeEvent({ type, id, stream, position }: EventReference): string {
  return `${type} (event ${id}) of ${stream} at position ${position}`;
}
