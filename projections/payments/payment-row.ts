import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** The statuses of a payment in the list of all payments. */
export const PAYMENT_STATUSES = ['pending', 'requires_action', 'succeeded', 'failed', 'reversed'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** A charge of a card through the gateway, or a recorded payment. Its other fields are in the state of its invoice. */
@Entity({ schema: 'read', name: 'payments' })
@Index(['workspaceId', 'createdPosition'])
@Index(['workspaceId', 'customerId', 'createdPosition'])
@Index(['workspaceId', 'status', 'createdPosition'])
@Index(['workspaceId', 'method', 'createdPosition'])
@Index(['workspaceId', 'createdAt'])
@Index(['invoiceId'])
export class PaymentRow {
  /** The id of the payment attempt or of the recorded payment. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  invoiceId: string;

  @Column('text')
  customerId: string;

  /** `gateway`, or the method of a recorded payment. */
  @Column('text')
  method: string;

  @Column('text')
  status: PaymentStatus;

  /** The instant at which the charge was started or the payment was recorded. */
  @InstantColumn()
  createdAt: Instant;

  /** The position of the first event of the payment in the event log. Payments are listed in the order of this position. */
  @Column('bigint')
  createdPosition: string;
}
