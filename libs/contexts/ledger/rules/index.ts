import { balanceRules } from './balances.js';
import { invoiceRules } from './invoices.js';
import { WITHOUT_EFFECT, type PostingRule } from './rule.js';
import { subscriptionRules } from './subscriptions.js';

/** The one table from the event types of the contexts with money to how they are posted. */
export const postingRules = new Map<string, PostingRule | typeof WITHOUT_EFFECT>(
  Object.entries({ ...invoiceRules, ...balanceRules, ...subscriptionRules }) as [
    string,
    PostingRule | typeof WITHOUT_EFFECT,
  ][],
);

/** The event types that the ledger must hear of. */
export const ledgerEventTypes: readonly string[] = [...postingRules]
  .filter(([, rule]) => rule !== WITHOUT_EFFECT)
  .map(([type]) => type);
