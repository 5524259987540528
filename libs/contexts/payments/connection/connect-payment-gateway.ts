import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Pool, type PoolClient } from 'pg';
import { Conflict, InvalidRequest, StateConflict } from '#libs/kernel/core';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { inTransaction } from '#libs/kernel/postgres';
import { systemClock } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { modeOfKey, StripeKeyChecker } from '../stripe/stripe-key-checker.js';
import {
  GatewayConnections,
  unreadableKeysError,
  type GatewayConnection,
  type StoredGatewayConnection,
} from './gateway-connections.js';
import { paymentGatewayDecider } from './payment-gateway-record.js';

/** What a request says of the connection. A field that is absent stays as it is. */
export interface GivenConnection {
  readonly secretKey?: string | undefined;
  readonly webhookSecret?: string | undefined;
  /** The hosts to which customers may return from the page for a card. */
  readonly returnHosts?: readonly string[] | undefined;
}

/**
 * Connects a live workspace to Stripe, or replaces the keys of its connection. Keys that are undefined stay as they are. The secret key is
 * checked with a request to Stripe. Throws InvalidRequest if the secret key is wrong, or if the workspace is a sandbox (`live_only`).
 * Throws Conflict (`charges_pending`) if the keys are of another Stripe account or mode while the result of a charge or refund is unknown.
 * `secretKey` can be undefined only if the workspace is connected already. Throws Unavailable (`payment_gateway_unreadable`) if `secretKey`
 * is undefined and the present one cannot be read. A webhook secret that cannot be read is removed, unless a new one is given.
 */
export class ConnectPaymentGateway extends Command<GatewayConnection> {
  constructor(
    readonly context: CommandContext,
    readonly given: GivenConnection,
  ) {
    super();
  }
}

/**
 * Disconnects Stripe. Throws NotFound if no gateway is connected. Throws Conflict (`charges_pending`) while the result of a charge or
 * refund is unknown.
 */
export class DisconnectPaymentGateway extends Command<void> {
  constructor(readonly context: CommandContext) {
    super();
  }
}

@CommandHandler(ConnectPaymentGateway)
export class ConnectPaymentGatewayHandler implements ICommandHandler<ConnectPaymentGateway> {
  constructor(
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly clock: WorkspaceClock,
    private readonly accounts: StripeKeyChecker,
    private readonly connections: GatewayConnections,
  ) {}

  async execute({ context, given }: ConnectPaymentGateway): Promise<GatewayConnection> {
    const { workspaceId, now: at } = context;
    if ((await this.clock.readMode(workspaceId)) !== 'live')
      throw new StateConflict(
        'live_only',
        'A sandbox simulates payments and connects to no payment processor; connect Stripe in the live workspace',
      );
    const { secretKey } = given;
    const accountId = secretKey === undefined ? undefined : await this.accounts.readAccountId(secretKey);
    return inTransaction(this.pool, async (tx) => {
      await lockConnection(tx, workspaceId);
      const current = await this.connections.findStored(workspaceId, tx);
      const connection = nextConnection(workspaceId, current, { ...given, accountId });
      if (current && (current.accountId !== connection.accountId || current.mode !== connection.mode))
        await requireNoPendingCharge(tx, workspaceId);
      await this.connections.store(connection, tx);
      const { provider, accountId: account, mode, secretKeyLast4, returnHosts } = connection;
      const receivesEvents = connection.webhookSecret !== null;
      await this.aggregates.execute(paymentGatewayDecider, workspaceId, context, {
        type: 'ConnectPaymentGateway',
        workspaceId,
        at,
        gateway: { provider, accountId: account, mode, secretKeyLast4, receivesEvents, returnHosts },
        secretsReplaced:
          current?.secretKey !== connection.secretKey || current.webhookSecret !== connection.webhookSecret,
      });
      return connection;
    });
  }
}

@CommandHandler(DisconnectPaymentGateway)
export class DisconnectPaymentGatewayHandler implements ICommandHandler<DisconnectPaymentGateway> {
  constructor(
    private readonly pool: Pool,
    private readonly aggregates: AggregateStore,
    private readonly connections: GatewayConnections,
  ) {}

  async execute({ context }: DisconnectPaymentGateway): Promise<void> {
    const { workspaceId, now: at } = context;
    await this.connections.requireExists(workspaceId);
    await inTransaction(this.pool, async (tx) => {
      await lockConnection(tx, workspaceId);
      await requireNoPendingCharge(tx, workspaceId);
      await this.connections.remove(workspaceId, tx);
      const command = { type: 'DisconnectPaymentGateway', workspaceId, at } as const;
      await this.aggregates.execute(paymentGatewayDecider, workspaceId, context, command);
    });
  }
}

/**
 * Locks the gateway connection until the transaction ends. Waits first for other changes of the connection, and for charges that are being
 * stored.
 */
async function lockConnection(tx: PoolClient, workspaceId: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`payment gateway ${workspaceId}`]);
  await tx.query('SELECT 1 FROM payments.gateway_connections WHERE workspace_id = $1 FOR UPDATE', [
    workspaceId,
  ]);
}

async function requireNoPendingCharge(tx: PoolClient, workspaceId: string): Promise<void> {
  const { rows } = await tx.query<{ pending: boolean }>(
    `SELECT EXISTS (SELECT FROM payments.stripe_charges WHERE workspace_id = $1 AND status IS NULL)
         OR EXISTS (SELECT FROM payments.stripe_refunds WHERE workspace_id = $1 AND refund_id IS NULL) AS pending`,
    [workspaceId],
  );
  if (rows[0]?.pending)
    throw new Conflict(
      'charges_pending',
      'The result of a charge or a refund at Stripe is not known yet; try again when no payment attempt is pending',
    );
}

function nextConnection(
  workspaceId: string,
  current: StoredGatewayConnection | undefined,
  given: GivenConnection & { accountId: string | undefined },
): GatewayConnection {
  if (given.secretKey === undefined && current && current.secretKey === undefined)
    throw unreadableKeysError();
  const { accountId = current?.accountId, secretKey = current?.secretKey } = given;
  if (secretKey === undefined || accountId === undefined)
    throw InvalidRequest.field('secretKey', 'is required until a payment gateway is connected');
  return {
    workspaceId,
    provider: 'stripe',
    accountId,
    mode: modeOfKey(secretKey),
    secretKey,
    secretKeyLast4: secretKey.slice(-4),
    webhookSecret: given.webhookSecret ?? current?.webhookSecret ?? null,
    returnHosts: given.returnHosts ?? current?.returnHosts ?? [],
    ...(given.secretKey === undefined && current
      ? { checkedAt: current.checkedAt, keyRefusedAt: current.keyRefusedAt }
      : { checkedAt: systemClock.now(), keyRefusedAt: null }),
  };
}
