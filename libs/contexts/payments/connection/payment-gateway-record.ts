import { type Instant, omit } from '#libs/kernel/core';
import { defineDecider } from '#libs/kernel/domain';
import { paymentGatewayEvents, type ConnectedGateway, type PaymentGatewayEvent } from './events.js';

/** The gateway connection of a workspace, as the workspace's events record it. */
export interface PaymentGatewayRecord {
  /** Null if the workspace has no connection. */
  connected: ConnectedGateway | null;
}

export type PaymentGatewayCommand = { workspaceId: string; at: Instant } & (
  | { type: 'ConnectPaymentGateway'; gateway: ConnectedGateway; secretsReplaced: boolean }
  | { type: 'DisconnectPaymentGateway' }
);

/**
 * Records which user connected which payment processor. The gateway's secrets are credentials, so they are not recorded in events. Stream:
 * `paymentGateway-acc_…`.
 */
export const paymentGatewayDecider = defineDecider<
  PaymentGatewayRecord,
  PaymentGatewayCommand,
  PaymentGatewayEvent
>({
  category: 'paymentGateway',
  events: paymentGatewayEvents,
  decide(command, { connected } = { connected: null }) {
    const { workspaceId, at } = command;
    switch (command.type) {
      case 'ConnectPaymentGateway': {
        const { gateway, secretsReplaced } = command;
        if (!secretsReplaced && connected && isSame(connected, gateway)) return [];
        return [{ type: 'PaymentGatewayConnected', data: { workspaceId, at, ...gateway } }];
      }
      case 'DisconnectPaymentGateway':
        if (!connected) return [];
        return [
          { type: 'PaymentGatewayDisconnected', data: { workspaceId, at, provider: connected.provider } },
        ];
    }
  },
  evolve(_, event) {
    if (event.type === 'PaymentGatewayDisconnected') return { connected: null };
    return { connected: omit(event.data, ['workspaceId', 'at']) };
  },
});

function isSame(one: ConnectedGateway, other: ConnectedGateway): boolean {
  const { returnHosts: before = [], ...fields } = one;
  const { returnHosts: after = [] } = other;
  const isSameList = before.length === after.length && before.every((host, i) => host === after[i]);
  return (
    isSameList &&
    (Object.keys(fields) as (keyof typeof fields)[]).every((field) => one[field] === other[field])
  );
}
