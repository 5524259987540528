import { Injectable, type OnApplicationBootstrap, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Logger } from '#libs/kernel/system';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { type Decider, type DomainEvent } from '#libs/kernel/domain';
import { apiKeyDecider } from './api-key.js';
import { OutboxEntry } from './entities/outbox-entry.entity.js';
import { portalSessionDecider } from './portal-session.js';
import { invitationDecider } from './invitations/invitation.js';
import { sessionDecider } from './session.js';
import { ssoConnectionDecider } from './sso-connection.js';
import { userDecider } from './user.js';
import { workspaceDecider } from './workspace.js';

type AnyDecider = Decider<unknown, object, DomainEvent>;

const DECIDERS = new Map<string, AnyDecider>(
  [
    workspaceDecider,
    userDecider,
    sessionDecider,
    invitationDecider,
    apiKeyDecider,
    portalSessionDecider,
    ssoConnectionDecider,
  ].map((decider) => [decider.category, decider as unknown as AnyDecider]),
);

/**
 * The interval at which the outbox is searched for undelivered commands. A command stays undelivered if its process crashed, or if the
 * event store was unavailable.
 */
const DRAIN_MILLIS = 5_000;

/**
 * The number of aggregates whose commands a request delivers itself. The events of further ones, such as of hundreds of ended sessions, are
 * left to the next search, so that the request is answered soon.
 */
const PROMPT_AGGREGATES = 50;

/** The number of commands that one statement stores. A statement of Postgres has at most 65,535 parameters, and each command four. */
const STORED_AT_ONCE = 1_000;

/** A command for an aggregate, and the context with which it is executed. */
interface StoredCommand<Command> {
  readonly aggregateId: string;
  readonly context: CommandContext;
  readonly command: Command;
}

/**
 * Writes events about credentials to the event store. Credentials are in Postgres. The commands for these events are stored in Postgres in
 * the transaction that changes the credentials, and delivered after the commit. The request itself delivers its commands, so the audit
 * trail contains their events at once. If the request's process crashes, another process delivers the commands. A command that is delivered
 * twice appends nothing the second time, so no lock is needed.
 */
@Injectable()
export class CommandOutbox implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private draining: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly aggregates: AggregateStore,
    private readonly logger: Logger,
  ) {}

  /** Stores a command in the transaction of `manager`. Call {@link deliver} after the commit. */
  async add<State, Command extends object, Event extends DomainEvent>(
    manager: EntityManager,
    decider: Decider<State, Command, Event>,
    aggregateId: string,
    context: CommandContext,
    command: NoInfer<Command>,
  ): Promise<void> {
    await this.addAll(manager, decider, [{ aggregateId, context, command }]);
  }

  /** Stores commands in the transaction of `manager`, {@link STORED_AT_ONCE} with one statement. Call {@link deliver} after the commit. */
  async addAll<State, Command extends object, Event extends DomainEvent>(
    manager: EntityManager,
    { category }: Decider<State, Command, Event>,
    commands: readonly StoredCommand<NoInfer<Command>>[],
  ): Promise<void> {
    for (let first = 0; first < commands.length; first += STORED_AT_ONCE)
      await manager.insert(
        OutboxEntry,
        commands
          .slice(first, first + STORED_AT_ONCE)
          .map(({ aggregateId, context, command }) => ({ category, aggregateId, context, command })),
      );
  }

  /**
   * Delivers the stored commands of these aggregates, or of all aggregates, in the order in which they were stored. Of more than
   * {@link PROMPT_AGGREGATES} aggregates, only the first ones are delivered now, and the others soon after. Never rejects. A command that
   * cannot be delivered stays stored and is tried again.
   */
  async deliver(aggregateIds?: string[]): Promise<void> {
    const stuck = new Set<string>();
    try {
      const query = this.dataSource
        .getRepository(OutboxEntry)
        .createQueryBuilder('entry')
        .orderBy('entry.seq');
      if (aggregateIds)
        query.where('entry.aggregateId = ANY(:first)', { first: aggregateIds.slice(0, PROMPT_AGGREGATES) });
      for (const entry of await query.take(1_000).getMany()) {
        const aggregate = `${entry.category}-${entry.aggregateId}`;
        // If a command of an aggregate fails, the later commands of that aggregate are not delivered.
        if (stuck.has(aggregate)) continue;
        await this.deliverOne(entry).catch((error: Error) => {
          stuck.add(aggregate);
          this.logger.warn(
            { error: error.message, aggregate },
            'an event could not be written yet and will be tried again',
          );
        });
      }
    } catch (error) {
      this.logger.warn({ error: (error as Error).message }, 'the search for unwritten events failed');
    }
  }

  onApplicationBootstrap(): void {
    const drain = (): void => {
      this.draining = this.deliver().then(() => {
        this.timer = setTimeout(drain, DRAIN_MILLIS).unref();
      });
    };
    drain();
  }

  /** Finishes the current delivery while the database and the event store are still connected. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.draining;
    clearTimeout(this.timer);
  }

  private async deliverOne(entry: OutboxEntry): Promise<void> {
    const decider = DECIDERS.get(entry.category);
    if (!decider) throw new Error(`No aggregate is called "${entry.category}"`);
    await this.aggregates.execute(
      decider,
      entry.aggregateId,
      { ...entry.context, mayRepeat: true },
      entry.command,
    );
    await this.dataSource.manager.delete(OutboxEntry, { seq: entry.seq });
  }
}
