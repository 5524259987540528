import type { AuditTrailRules } from '#libs/manifest';
import type { PaymentGatewayEvent } from './connection/events.js';

export const auditTrailRules: AuditTrailRules<PaymentGatewayEvent> = {
  PaymentGatewayConnected: {
    action: 'payment_gateway.connected',
    id: 'workspaceId',
    show: ['provider', 'accountId', 'mode', 'secretKeyLast4', 'receivesEvents', 'returnHosts'],
  },
  PaymentGatewayDisconnected: {
    action: 'payment_gateway.disconnected',
    id: 'workspaceId',
    show: ['provider'],
  },
};
