import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type {
  OverdueDebt,
  DunningStatus,
  DunningStep,
  InvoiceInDunning,
  TakenDunningStep,
} from '#libs/contexts/dunning';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** A dunning process. */
@Entity({ schema: 'read', name: 'dunning_processes' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'customerId', 'createdPosition'])
@Index(['workspaceId', 'status', 'createdPosition'])
export class DunningProcessRow implements OverdueDebt {
  @PrimaryColumn('text')
  processId: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  customerId: string;

  /** The currency of the overdue invoices. A dunning process is for the invoices of one currency. */
  @Column('text')
  currency: string;

  @Column('text')
  status: DunningStatus;

  @Column('text')
  policyId: string;

  @Column('text')
  policyName: string;

  /** The steps of the dunning policy, as they were when the process started. */
  @Column('jsonb')
  steps: readonly DunningStep[];

  /** The dunning steps that were already taken, in order. */
  @Column('jsonb')
  taken: readonly TakenDunningStep[];

  /** The invoices that are overdue. */
  @Column('jsonb')
  invoiceIds: readonly string[];

  /** The same invoices, each with its own way through the steps. */
  @Column('jsonb')
  invoices: readonly InvoiceInDunning[];

  @InstantColumn()
  startedAt: Instant;

  /** The time at which the next step is due. Null if no further step is planned, for example because the process has ended. */
  @InstantColumn({ nullable: true })
  nextStepAt: Instant | null;

  @InstantColumn({ nullable: true })
  endedAt: Instant | null;

  /** The position of the start event, by which the list is ordered. */
  @Column('bigint')
  createdPosition: string;
}
