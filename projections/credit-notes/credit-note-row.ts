import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import type { CreditNoteStatus } from '#libs/contexts/invoicing';
import { InstantColumn } from '#libs/kernel/postgres';

/** A credit note of an invoice. Its other fields are in the state of its invoice. */
@Entity({ schema: 'read', name: 'credit_notes' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'customerId', 'createdPosition'])
@Index(['workspaceId', 'status', 'createdPosition'])
@Index(['workspaceId', 'issuedAt'])
@Index(['workspaceId', 'number'])
@Index(['invoiceId'])
export class CreditNoteRow {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  invoiceId: string;

  @Column('text')
  customerId: string;

  /** Null until the note gets its number, shortly after its issue. */
  @Column('text', { nullable: true })
  number: string | null;

  @Column('text')
  status: CreditNoteStatus;

  @InstantColumn()
  issuedAt: Instant;

  /** The position of the note's first event in the event log. Credit notes are listed in the order of this position. */
  @Column('bigint')
  createdPosition: string;
}
