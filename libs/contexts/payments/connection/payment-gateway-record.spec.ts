import { describe, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { ConnectedGateway, PaymentGatewayEvent } from './events.js';
import { paymentGatewayDecider } from './payment-gateway-record.js';

const at = '2026-03-01T00:00:00.000Z';
const workspaceId = 'acc_1';
const gateway: ConnectedGateway = {
  provider: 'stripe',
  accountId: 'acct_1',
  mode: 'live',
  secretKeyLast4: '4242',
  receivesEvents: true,
};
const connected: PaymentGatewayEvent = {
  type: 'PaymentGatewayConnected',
  data: { workspaceId, at, ...gateway },
};
const disconnected: PaymentGatewayEvent = {
  type: 'PaymentGatewayDisconnected',
  data: { workspaceId, at, provider: 'stripe' },
};
const connect = (secretsReplaced: boolean) =>
  ({ type: 'ConnectPaymentGateway', workspaceId, at, gateway, secretsReplaced }) as const;
const disconnect = { type: 'DisconnectPaymentGateway', workspaceId, at } as const;

const { given } = decide(paymentGatewayDecider);

describe('the connection to a payment gateway', () => {
  it('is recorded when it is made, and when a secret is replaced', () => {
    given().when(connect(true)).then(connected);
    given(connected).when(connect(true)).then(connected);
    given(connected).when(connect(false)).then();
  });

  it('is recorded when the hosts change to which customers may return', () => {
    const change = (returnHosts: string[]) =>
      ({ ...connect(false), gateway: { ...gateway, returnHosts } }) as const;
    given(connected).when(change([])).then();
    const hosts = {
      ...connected,
      data: { ...connected.data, returnHosts: ['a.example'] },
    } as PaymentGatewayEvent;
    given(connected)
      .when(change(['a.example']))
      .then(hosts);
    given(connected, hosts)
      .when(change(['a.example']))
      .then();
  });

  it('ends once', () => {
    given(connected).when(disconnect).then(disconnected);
    given(connected, disconnected).when(disconnect).then();
    given().when(disconnect).then();
  });
});
