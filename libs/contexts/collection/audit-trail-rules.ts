import type { AuditTrailRules } from '#libs/manifest';
import type { PaymentRetrySettingsEvent } from './settings/events.js';

export const auditTrailRules: AuditTrailRules<PaymentRetrySettingsEvent> = {
  PaymentRetrySettingsChanged: {
    action: 'payment_retry_settings.changed',
    id: 'workspaceId',
    changes: true,
    show: ['enabled', 'intervalsDays', 'localHour', 'whenExhausted', 'subscription'],
  },
};
