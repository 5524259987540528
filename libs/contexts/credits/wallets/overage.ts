import { sumCreditsByMetric, uncoveredCredits } from './wallet.js';
import type { MetricCredits, WalletEvent } from './events.js';

/**
 * The overage of a wallet after an event, without the overage that invoices already bill, and without that of trials. `overage` is the
 * overage before the event.
 */
export function overageAfterEvent(
  overage: readonly MetricCredits[],
  { type, data }: WalletEvent,
): MetricCredits[] {
  if (type === 'CreditsDrawnDown' && data.trial) return [...overage];
  if (type === 'CreditsDrawnDown') return sumCreditsByMetric([...overage, ...uncoveredCredits(data.draws)]);
  if (type === 'CreditOverageReturned') return sumCreditsByMetric([...overage, ...data.overage]);
  return type === 'CreditOverageBilled' ? [] : [...overage];
}
