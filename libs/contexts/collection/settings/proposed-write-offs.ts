import { changedFields, type ProposedAction } from '#libs/contexts/approvals';
import type { PaymentRetrySettings } from './events.js';

/** The data of a change of the retry settings in its approval request. */
export interface HeldRetryChange {
  readonly changes: Partial<PaymentRetrySettings>;
}

/**
 * Describes a change of the retry settings after which invoices are written off by themselves. The saga writes them off without approval, so
 * the settings need it. Undefined if the settings wrote off before, or do not after the change.
 *
 * @param before the settings without the change
 * @param after the settings with the change
 */
export function proposedWriteOffs(
  workspaceId: string,
  before: PaymentRetrySettings,
  after: PaymentRetrySettings,
  data: HeldRetryChange,
): ProposedAction | undefined {
  if (writesOff(before) || !writesOff(after)) return undefined;
  const [was, becomes] = [shown(before), shown(after)];
  return {
    customerId: null,
    resource: { type: 'payment_retry_settings', id: workspaceId },
    amount: null,
    currency: null,
    reason: null,
    effectiveAt: null,
    lines: [],
    terms: Object.entries(becomes).map(([name, value]) => ({ name, value })),
    changes: changedFields(was, becomes),
    command: { kind: 'change-payment-retry-settings', data },
  };
}

function writesOff({ enabled, whenExhausted }: PaymentRetrySettings): boolean {
  return enabled && whenExhausted === 'mark_uncollectible';
}

function shown({ enabled, intervalsDays, localHour, whenExhausted, subscription }: PaymentRetrySettings) {
  return {
    enabled: String(enabled),
    intervalsDays: intervalsDays.join(', '),
    localHour: localHour === null ? null : String(localHour),
    whenExhausted,
    subscription,
  };
}
