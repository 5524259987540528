import type { FailedTasks } from '#libs/kernel/saga';
import type { GatewayConnection } from './gateway-connections.js';

/**
 * Converts the gateway connection of a workspace to its form in the API, without secrets. The address for webhooks is shown even before
 * Stripe is connected, so that the user can enter both keys at once. `waiting` has the requests that are attempted again. `publicUrl` is
 * the address of the API, without a slash at the end.
 */
export function presentPaymentGateway(
  workspaceId: string,
  connection: GatewayConnection | undefined,
  waiting: FailedTasks,
  publicUrl: string,
) {
  return {
    provider: connection?.provider ?? null,
    accountId: connection?.accountId ?? null,
    mode: connection?.mode ?? null,
    secretKeyLast4: connection?.secretKeyLast4 ?? null,
    checkedAt: connection?.checkedAt ?? null,
    keyRefusedAt: connection?.keyRefusedAt ?? null,
    waitingRequests: waiting.count,
    nextAttemptAt: waiting.nextAttemptAt,
    webhookUrl: `${publicUrl}/v1/gateways/stripe/events?workspace=${workspaceId}`,
    returnHosts: [...(connection?.returnHosts ?? [])],
    webhookSecretSet: connection !== undefined && connection.webhookSecret !== null,
  };
}
