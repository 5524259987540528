import type { GatewayConnection } from './gateway-connections.js';

/** Converts a connection to its form in the API, without secrets. `publicUrl` is the address of the API, without a slash at the end. */
export function presentPaymentGateway(
  { provider, accountId, mode, secretKeyLast4, webhookSecret, checkedAt, workspaceId }: GatewayConnection,
  publicUrl: string,
) {
  return {
    ...{ provider, accountId, mode, secretKeyLast4, checkedAt },
    webhookUrl: `${publicUrl}/v1/gateways/${provider}/events?workspace=${workspaceId}`,
    webhookSecretSet: webhookSecret !== null,
  };
}
