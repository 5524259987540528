import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { BillingFailure } from '#libs/contexts/billing';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { RunReference } from '#libs/contexts/subscriptions';

/** A billing run. A user requested the run, or the run applied automatically all changes that were due at one instant. */
@Entity({ schema: 'read', name: 'billing_runs' })
@Index(['workspaceId', 'createdPosition'])
export class BillingRunRow {
  @PrimaryColumn('text')
  runId: string;

  @Column('text')
  workspaceId: string;

  /** `manual` if a user requested the run, `schedule` if it was automatic. */
  @Column('text')
  trigger: RunReference['trigger'];

  @InstantColumn()
  startedAt: Instant;

  /** The time at which the run finished; for a scheduled run, the time of its newest event. Null while a requested run has not finished. */
  @InstantColumn({ nullable: true })
  finishedAt: Instant | null;

  /**
   * The number of subscriptions that the run billed. For a scheduled run, and until a requested run has finished, this is the number of
   * changes that the run has applied.
   */
  @Column('integer')
  subscriptions: number;

  /** The number of subscriptions that the run could not bill. Zero for a scheduled run, and until a requested run has finished. */
  @Column('integer')
  failed: number;

  /** The subscriptions that the run could not bill, each with its error: at most 100 of them. */
  @Column('jsonb')
  failures: BillingFailure[];

  /** The position of the run's first event in the event log. Billing runs are listed in the order of this position. */
  @Column('bigint')
  createdPosition: string;
}
