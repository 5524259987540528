import { InvalidRequest } from '#libs/core';
import type { CreditRequest } from '#libs/rating';
import type { Subscriptions } from '#libs/subscriptions';
import type { Invoice } from './invoice.js';

/** Whether a change of its subscription has given back something that the invoice charges. */
export async function isGivenBack(
  subscriptions: Subscriptions,
  accountId: string,
  { invoiceId, subscriptionId }: Pick<Invoice, 'invoiceId' | 'subscriptionId'>,
): Promise<boolean> {
  if (subscriptionId === null) return false;
  const { givenBack } = await subscriptions.require(accountId, subscriptionId);
  return givenBack.includes(invoiceId);
}

/**
 * Refuses to credit what such an invoice charges in advance, whose unused part was given back: a credit note would give it back once
 * more. Its other lines can be credited one by one; InvalidRequest (`invoice_given_back`) says so.
 */
export function requireOtherLines(
  credit: CreditRequest | null,
  { lines, billedAt }: Pick<Invoice, 'lines' | 'billedAt'>,
): void {
  const isInAdvance = (id: string) =>
    lines.some((line) => line.id === id && line.type === 'flat' && line.periodEnd > billedAt);
  if (credit?.lines !== undefined && !credit.lines.some(({ id }) => isInAdvance(id))) return;
  throw new InvalidRequest(
    'invoice_given_back',
    'A change of the subscription has given back a part of what the invoice charges in advance; name in lines what else of it is to be credited',
  );
}
