import { creditsByMetric, uncoveredCredits } from './wallet.js';
import type { MetricCredits, WalletEvent } from './events.js';

/** The overage of a wallet that no invoice bills, after an event. `overage` is that before the event. */
export function overageAfter(
  overage: readonly MetricCredits[],
  { type, data }: WalletEvent,
): MetricCredits[] {
  if (type === 'CreditsDrawnDown') return creditsByMetric([...overage, ...uncoveredCredits(data.draws)]);
  if (type === 'CreditOverageReturned') return creditsByMetric([...overage, ...data.overage]);
  return type === 'CreditOverageBilled' ? [] : [...overage];
}
