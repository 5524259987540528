import type { RetryRules } from '#libs/contexts/invoicing';
import { v1, type DomainEvent, type EventCatalog } from '#libs/kernel/domain';

/** How a workspace retries failed payments. */
export interface PaymentRetrySettings extends RetryRules {
  /** False if failed payments are not retried. */
  readonly enabled: boolean;
}

/** The event contains only the settings that changed. */
export type PaymentRetrySettingsEvent = DomainEvent<
  'PaymentRetrySettingsChanged',
  { workspaceId: string } & Partial<PaymentRetrySettings>
>;

export const paymentRetrySettingsEvents: EventCatalog<PaymentRetrySettingsEvent> = {
  PaymentRetrySettingsChanged: v1,
};
