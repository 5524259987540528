import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { CommandContext } from '#libs/kernel/event-store';

/** A command to an aggregate of this context that was decided upon together with a change of credentials. */
@Entity({ schema: 'identity', name: 'outbox' })
export class OutboxEntry {
  /** A bigint, as text. */
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  seq: string;

  /** The aggregate's category: which decider. */
  @Column('text')
  category: string;

  @Column('text')
  aggregateId: string;

  @Column('jsonb')
  context: CommandContext;

  @Column('jsonb')
  command: object;
}
