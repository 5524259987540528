import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DunningStep, EndReason } from '#libs/contexts/dunning';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** `active`: steps are to come. `settled`: nothing was overdue any more. `completed`: the last step was taken. `stopped`: the policy was disabled. */
export const DUNNING_STATUSES = ['active', 'settled', 'completed', 'stopped'] as const;
export type DunningStatus = (typeof DUNNING_STATUSES)[number];

/** The status of a process that ended. */
export const STATUS_AT_END: Readonly<Record<EndReason, DunningStatus>> = {
  settled: 'settled',
  completed: 'completed',
  policy_disabled: 'stopped',
};

/** What a step did. */
export interface TakenStep {
  at: Instant;
  mailId: string;
  invoiceIds: readonly string[];
  amount: DecimalString;
}

/** A dunning process. */
@Entity({ schema: 'read', name: 'dunning_processes' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'customerId', 'createdPosition'])
@Index(['workspaceId', 'status', 'createdPosition'])
export class DunningProcessRow {
  @PrimaryColumn('text')
  processId: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  customerId: string;

  @Column('text')
  currency: string;

  @Column('text')
  status: DunningStatus;

  @Column('text')
  policyId: string;

  @Column('text')
  policyName: string;

  /** The steps of the policy, as they were when the process started. */
  @Column('jsonb')
  steps: readonly DunningStep[];

  /** The steps that were taken, in their order. */
  @Column('jsonb')
  taken: readonly TakenStep[];

  /** The invoices that are overdue. */
  @Column('jsonb')
  invoiceIds: readonly string[];

  @InstantColumn()
  startedAt: Instant;

  @InstantColumn({ nullable: true })
  nextStepAt: Instant | null;

  @InstantColumn({ nullable: true })
  endedAt: Instant | null;

  /** The position of the start, which orders the list. */
  @Column('bigint')
  createdPosition: string;
}
