import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { CommandContext } from '#libs/kernel/event-store';

/** A command for an aggregate of this context. The command was stored in the same transaction as a change of credentials. */
@Entity({ schema: 'identity', name: 'outbox' })
export class OutboxEntry {
  /** The number of the entry, a bigint as a string. Entries are delivered in the order of their numbers. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  seq: string;

  /** The category of the aggregate, which selects the decider. */
  @Column('text')
  category: string;

  @Column('text')
  aggregateId: string;

  /** The context with which the command is executed. */
  @Column('jsonb')
  context: CommandContext;

  /** The command for the aggregate. */
  @Column('jsonb')
  command: object;
}
