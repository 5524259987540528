import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { BillingFailure } from '#libs/contexts/billing';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';
import type { RunReference } from '#libs/contexts/subscriptions';

/** A billing run: one that was asked for, or all that the timers billed of one instant. */
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

  /** Null while it runs. */
  @InstantColumn({ nullable: true })
  finishedAt: Instant | null;

  @Column('integer')
  subscriptions: number;

  @Column('integer')
  failed: number;

  @Column('jsonb')
  failures: BillingFailure[];

  /** Position of the first event: the order of the history. */
  @Column('bigint')
  createdPosition: string;
}
