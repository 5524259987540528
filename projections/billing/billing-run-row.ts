import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { BillingFailure } from '#libs/contexts/billing';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { RunReference } from '#libs/contexts/subscriptions';

/** A billing run. It was requested, or it is the run of all due changes that were applied automatically for one instant. */
@Entity({ schema: 'read', name: 'billing_runs' })
@Index(['workspaceId', 'createdPosition'])
export class BillingRunRow {
  @PrimaryColumn('text')
  runId: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  trigger: RunReference['trigger'];

  @InstantColumn()
  startedAt: Instant;

  /** The time at which the run finished. Null while it runs. */
  @InstantColumn({ nullable: true })
  finishedAt: Instant | null;

  @Column('integer')
  subscriptions: number;

  @Column('integer')
  failed: number;

  @Column('jsonb')
  failures: BillingFailure[];

  /** The position of the first event. It sets the order of the history. */
  @Column('bigint')
  createdPosition: string;
}
