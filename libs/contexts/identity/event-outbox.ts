import { Injectable, type OnApplicationBootstrap, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Logger } from '#libs/kernel/system';
import { AggregateStore, type CommandContext } from '#libs/kernel/event-store';
import { type Decider, type DomainEvent } from '#libs/kernel/domain';
import { apiKeyDecider } from './api-key.js';
import { OutboxEntry } from './entities/outbox-entry.entity.js';
import { sessionDecider } from './session.js';
import { userDecider } from './user.js';
import { workspaceDecider } from './workspace.js';

type AnyDecider = Decider<unknown, object, DomainEvent>;

const DECIDERS = new Map<string, AnyDecider>(
  [workspaceDecider, userDecider, sessionDecider, apiKeyDecider].map((decider) => [
    decider.category,
    decider as unknown as AnyDecider,
  ]),
);

/** What was left over is looked for this often: the remains of a process that has died or of a store that was away. */
const DRAIN_MILLIS = 5_000;

/**
 * Brings what happened to credentials into the event store. Credentials are in Postgres. The commands for their events are written there in
 * the same transaction, and delivered after it commits. The request itself delivers them, so the audit trail has them at once; if it dies,
 * another process does. A command that is delivered twice appends nothing the second time, so no lock is needed.
 */
@Injectable()
export class EventOutbox implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private draining: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly aggregates: AggregateStore,
    private readonly logger: Logger,
  ) {}

  /** Notes a command as part of the transaction behind `manager`. Call {@link deliver} once it has committed. */
  async add<State, Command extends object, Event extends DomainEvent>(
    manager: EntityManager,
    decider: Decider<State, Command, Event>,
    aggregateId: string,
    context: CommandContext,
    command: NoInfer<Command>,
  ): Promise<void> {
    await manager.insert(OutboxEntry, { category: decider.category, aggregateId, context, command });
  }

  /**
   * Delivers what is waiting for these aggregates, or for all, in the order in which it was noted. Never rejects:
   * what cannot be delivered now stays and is tried again.
   */
  async deliver(aggregateIds?: string[]): Promise<void> {
    const stuck = new Set<string>();
    try {
      const query = this.dataSource
        .getRepository(OutboxEntry)
        .createQueryBuilder('entry')
        .orderBy('entry.seq');
      if (aggregateIds) query.where('entry.aggregateId = ANY(:aggregateIds)', { aggregateIds });
      for (const entry of await query.take(1_000).getMany()) {
        const aggregate = `${entry.category}-${entry.aggregateId}`;
        // One aggregate's commands are delivered in order or not at all.
        if (stuck.has(aggregate)) continue;
        await this.deliverOne(entry).catch((error: Error) => {
          stuck.add(aggregate);
          this.logger.warn({ error: error.message, aggregate }, 'event not written yet, will be tried again');
        });
      }
    } catch (error) {
      this.logger.warn({ error: (error as Error).message }, 'looking for unwritten events failed');
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

  /** Finishes what is in hand, while the database and the event store are still connected. */
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
