import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DataSource, IsNull } from 'typeorm';
import { Customers } from '#libs/contexts/customers';
import { addSeconds, Conflict, earlierOf, Forbidden, InvalidRequest } from '#libs/kernel/core';
import { aggregateId } from '#libs/kernel/domain';
import { idFor, type CommandContext } from '#libs/kernel/event-store';
import { systemClock } from '#libs/kernel/system';
import { isAllowed, type Permission } from '#libs/manifest';
import { PortalSession } from '../entities/portal-session.entity.js';
import { CommandOutbox } from '../command-outbox.js';
import type { AccessLimits } from '../principal.js';
import { portalSessionDecider, type PortalSessionTerms, type QuantityLimits } from '../portal-session.js';
import { ClosedPortals } from '../portal-sessions/closed-portals.js';
import { generatePortalToken, hashPortalToken } from '../portal-sessions/portal-token-format.js';

/** A newly created portal session with its token, which cannot be read again later. */
export interface NewPortalSession {
  portalSession: PortalSession;
  token: string;
}

/** For each right of a portal session, the permission that a caller needs in order to give the right. */
const REQUIRED_PERMISSIONS = {
  allowPlanChanges: 'subscriptions:write',
  allowCreditPurchases: 'credits:write',
} as const satisfies Record<string, Permission>;

/**
 * Creates a portal session for a customer. The session lasts for a number of seconds, measured by the machine's clock. If the caller's API
 * key expires earlier, the session expires with the key. A later revocation or rotation of the key does not end the session. Throws
 * NotFound if the customer is not in the workspace or is deleted. Throws Conflict (`customer_being_erased`) if the customer's personal data
 * is being erased. Throws Forbidden (`role_exceeds_own`) if the session would allow actions that the caller is not allowed to do. Throws
 * InvalidRequest for `quantityLimits` without `allowPlanChanges`, or with a minimum above the maximum.
 */
export class CreatePortalSession extends Command<NewPortalSession> {
  constructor(
    readonly context: CommandContext,
    readonly caller: AccessLimits,
    readonly request: Omit<PortalSessionTerms, 'expiresAt'> & { readonly expiresInSeconds: number },
  ) {
    super();
  }
}

@CommandHandler(CreatePortalSession)
export class CreatePortalSessionHandler implements ICommandHandler<CreatePortalSession> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly customers: Customers,
    private readonly closed: ClosedPortals,
    private readonly outbox: CommandOutbox,
  ) {}

  async execute({ context, caller, request }: CreatePortalSession): Promise<NewPortalSession> {
    const { expiresInSeconds, quantityLimits, ...allowed } = request;
    refuseUselessLimits(allowed.allowPlanChanges, quantityLimits);
    for (const [what, permission] of Object.entries(REQUIRED_PERMISSIONS))
      if (allowed[what as keyof typeof REQUIRED_PERMISSIONS] && !isAllowed(caller, permission))
        throw new Forbidden(
          'role_exceeds_own',
          `You cannot make a portal session with ${what}; that needs the permission ${permission}`,
        );
    const { workspaceId } = context;
    await this.customers.require(workspaceId, allowed.customerId);
    if (await this.closed.isClosed(workspaceId, allowed.customerId))
      throw new Conflict(
        'customer_being_erased',
        "The customer's personal data is being erased, so no portal session can be made",
      );
    const token = generatePortalToken();
    const id = idFor(context, 'pses');
    const aggregate = aggregateId(workspaceId, id);
    const hash = hashPortalToken(token);
    const portalSession = await this.dataSource.transaction(async (manager) => {
      const createdAt = systemClock.now();
      const planned = addSeconds(createdAt, expiresInSeconds);
      const expiresAt = caller.expiresAt ? earlierOf(planned, caller.expiresAt) : planned;
      const made = {
        id,
        workspaceId,
        ...allowed,
        quantityLimits: quantityLimits ?? null,
        createdAt,
        expiresAt,
        revokedAt: null,
      };
      const insert = manager
        .createQueryBuilder()
        .insert()
        .into(PortalSession)
        .values({ ...made, hash });
      const { raw } = (await insert.orIgnore().returning('id').execute()) as { raw: unknown[] };
      // The command is repeated. Its first run crashed before it could return the token, so the session gets a new token.
      if (raw.length === 0) await manager.update(PortalSession, { id, revokedAt: IsNull() }, { hash });
      const row = await manager.findOneByOrFail(PortalSession, { id });
      const { customerId, allowPlanChanges, allowCreditPurchases } = row;
      await this.outbox.add(manager, portalSessionDecider, aggregate, context, {
        type: 'CreatePortalSession',
        portalSessionId: id,
        at: row.createdAt,
        customerId,
        allowPlanChanges,
        allowCreditPurchases,
        expiresAt: row.expiresAt,
        ...(row.quantityLimits === null ? {} : { quantityLimits: row.quantityLimits }),
      });
      return row;
    });
    await this.outbox.deliver([aggregate]);
    return { portalSession, token };
  }
}

/** Refuses limits of units that no switch of plan could use. */
function refuseUselessLimits(allowPlanChanges: boolean, limits: QuantityLimits | undefined): void {
  if (!limits) return;
  if (!allowPlanChanges)
    throw InvalidRequest.field(
      'quantityLimits',
      'needs allowPlanChanges, because units can be chosen only in a switch to another plan',
    );
  if (limits.minimum > limits.maximum)
    throw InvalidRequest.field('quantityLimits.minimum', `must be at most the maximum, ${limits.maximum}`);
}
