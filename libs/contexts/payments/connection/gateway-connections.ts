import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Pool } from 'pg';
import { SETTINGS } from '#libs/kernel/app';
import { NotFound, Unavailable, type Instant } from '#libs/kernel/core';
import type { Queryable } from '#libs/kernel/postgres';
import { requireSecrets, TextCipher, type Settings } from '#libs/kernel/system';

/** The connection of a workspace to Stripe. */
export interface GatewayConnection {
  readonly workspaceId: string;
  readonly provider: 'stripe';
  /** The id of the Stripe account. */
  readonly accountId: string;
  /** `test` if charges with the secret key move no real money. */
  readonly mode: 'test' | 'live';
  readonly secretKey: string;
  readonly secretKeyLast4: string;
  /** The secret that signs Stripe's webhooks. Null until a user sets the secret. */
  readonly webhookSecret: string | null;
  /** The hosts to which customers may return from the page for a card, such as `shop.example.com`. */
  readonly returnHosts: readonly string[];
  /** The time at which the secret key was set and accepted by Stripe, by the machine's clock. */
  readonly checkedAt: Instant;
  /**
   * The time of the first charge, confirmation or refund for which Stripe refused the secret key, by the machine's clock. Null while no
   * such request was refused since the last one that succeeded. Other requests to Stripe, such as the saving of a card, do not set this
   * time.
   */
  readonly keyRefusedAt: Instant | null;
}

/** A connection as it is stored. A secret is undefined if it cannot be read, because JWT_SECRET was changed after the secret was set. */
export interface StoredGatewayConnection extends Omit<GatewayConnection, 'secretKey' | 'webhookSecret'> {
  readonly secretKey: string | undefined;
  readonly webhookSecret: string | null | undefined;
}

interface ConnectionRow {
  account_id: string;
  mode: 'test' | 'live';
  secret_key: string;
  secret_key_last4: string;
  webhook_secret: string | null;
  return_hosts: string[];
  checked_at: Instant;
  key_refused_at: Instant | null;
}

/** Stores the connections of workspaces to Stripe. The secrets are encrypted. */
@Injectable()
export class GatewayConnections implements OnApplicationBootstrap {
  private ownCipher: TextCipher | undefined;

  constructor(
    private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * The key of the cipher comes from `JWT_SECRET`. The cipher is made when it is first needed, so that programs that read no secrets run
   * without `JWT_SECRET`.
   */
  private get cipher(): TextCipher {
    const secrets = requireSecrets(this.settings);
    return (this.ownCipher ??= new TextCipher(secrets, 'countinghouse payment gateway keys'));
  }

  /** Encrypts the keys again that the former `JWT_SECRET` encrypted, so that it can be taken out of the settings. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.formerJwtSecret === undefined) return;
    const { rows } = await this.pool.query<{
      workspace_id: string;
      secret_key: string;
      webhook_secret: string | null;
    }>('SELECT workspace_id, secret_key, webhook_secret FROM payments.gateway_connections');
    for (const { workspace_id: workspaceId, secret_key: key, webhook_secret: secret } of rows) {
      const [newKey, newSecret] = [
        this.cipher.renew(key),
        secret === null ? undefined : this.cipher.renew(secret),
      ];
      if (newKey === undefined && newSecret === undefined) continue;
      // Keys that were set meanwhile are left as they are.
      await this.pool.query(
        `UPDATE payments.gateway_connections SET secret_key = $3, webhook_secret = $5
         WHERE workspace_id = $1 AND secret_key = $2 AND webhook_secret IS NOT DISTINCT FROM $4`,
        [workspaceId, key, newKey ?? key, secret, newSecret ?? secret],
      );
    }
  }

  async exists(workspaceId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      'SELECT 1 FROM payments.gateway_connections WHERE workspace_id = $1',
      [workspaceId],
    );
    return rowCount === 1;
  }

  /**
   * The workspace's connection to Stripe; undefined if the workspace has none. Throws Unavailable (`payment_gateway_unreadable`) if
   * JWT_SECRET was changed after the keys were set.
   */
  async find(workspaceId: string): Promise<GatewayConnection | undefined> {
    const stored = await this.findStored(workspaceId, this.pool);
    if (!stored) return undefined;
    const { secretKey, webhookSecret } = stored;
    if (secretKey === undefined || webhookSecret === undefined) throw unreadableKeysError();
    return { ...stored, secretKey, webhookSecret };
  }

  /**
   * Returns the hosts to which customers of the workspace may return. Undefined if the workspace has no connection. The keys of the
   * connection are not read.
   */
  async returnHostsOf(workspaceId: string): Promise<readonly string[] | undefined> {
    const { rows } = await this.pool.query<Pick<ConnectionRow, 'return_hosts'>>(
      'SELECT return_hosts FROM payments.gateway_connections WHERE workspace_id = $1',
      [workspaceId],
    );
    return rows[0]?.return_hosts;
  }

  /** The workspace's connection to Stripe, also if its keys cannot be read; undefined if the workspace has none. */
  async findStored(workspaceId: string, db: Queryable): Promise<StoredGatewayConnection | undefined> {
    const { rows } = await db.query<ConnectionRow>(
      `SELECT account_id, mode, secret_key, secret_key_last4, webhook_secret, return_hosts, checked_at, key_refused_at
       FROM payments.gateway_connections WHERE workspace_id = $1`,
      [workspaceId],
    );
    const row = rows[0];
    if (!row) return undefined;
    return {
      workspaceId,
      provider: 'stripe',
      accountId: row.account_id,
      mode: row.mode,
      secretKey: this.cipher.decrypt(row.secret_key),
      secretKeyLast4: row.secret_key_last4,
      webhookSecret: row.webhook_secret === null ? null : this.cipher.decrypt(row.webhook_secret),
      returnHosts: row.return_hosts,
      checkedAt: row.checked_at,
      keyRefusedAt: row.key_refused_at,
    };
  }

  /** Returns the connection. Throws NotFound if the workspace has no connection to Stripe. Throws Unavailable as {@link find} does. */
  async require(workspaceId: string): Promise<GatewayConnection> {
    const connection = await this.find(workspaceId);
    if (!connection) throw missingConnectionError();
    return connection;
  }

  /** Throws NotFound if the workspace has no connection to Stripe. The keys of the connection are not read. */
  async requireExists(workspaceId: string): Promise<void> {
    if (!(await this.exists(workspaceId))) throw missingConnectionError();
  }

  async store(connection: GatewayConnection, db: Queryable): Promise<void> {
    const { workspaceId, provider, accountId, mode, secretKey, secretKeyLast4, webhookSecret } = connection;
    const { checkedAt, keyRefusedAt, returnHosts } = connection;
    await db.query(
      `INSERT INTO payments.gateway_connections
         (workspace_id, provider, account_id, mode, secret_key, secret_key_last4, webhook_secret, checked_at,
          key_refused_at, return_hosts)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
       ON CONFLICT (workspace_id) DO UPDATE SET provider = excluded.provider, account_id = excluded.account_id,
         mode = excluded.mode, secret_key = excluded.secret_key, secret_key_last4 = excluded.secret_key_last4,
         webhook_secret = excluded.webhook_secret, checked_at = excluded.checked_at,
         key_refused_at = excluded.key_refused_at, return_hosts = excluded.return_hosts`,
      [
        workspaceId,
        provider,
        accountId,
        mode,
        this.cipher.encrypt(secretKey),
        secretKeyLast4,
        webhookSecret === null ? null : this.cipher.encrypt(webhookSecret),
        checkedAt,
        keyRefusedAt,
        returnHosts,
      ],
    );
  }

  /** Stores whether Stripe refuses the secret key. Does nothing if the secret key was replaced meanwhile. */
  async storeKeyStatus(
    { workspaceId, checkedAt }: GatewayConnection,
    { isRefused }: { isRefused: boolean },
  ): Promise<void> {
    await this.pool.query(
      `UPDATE payments.gateway_connections
       SET key_refused_at = CASE WHEN $3 THEN coalesce(key_refused_at, now()) END
       WHERE workspace_id = $1 AND checked_at = $2`,
      [workspaceId, checkedAt, isRefused],
    );
  }

  async remove(workspaceId: string, db: Queryable): Promise<void> {
    await db.query('DELETE FROM payments.gateway_connections WHERE workspace_id = $1', [workspaceId]);
  }
}

export function unreadableKeysError(): Unavailable {
  return new Unavailable(
    'payment_gateway_unreadable',
    'The keys of the payment gateway cannot be read, since JWT_SECRET was changed; set them again with PUT /v1/payment-gateway',
  );
}

function missingConnectionError(): NotFound {
  return new NotFound(
    'payment_gateway_not_found',
    'The workspace has no payment gateway; connect one with PUT /v1/payment-gateway',
  );
}
