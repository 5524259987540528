import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { BalanceTransaction } from '#libs/contexts/balances';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** A change of a customer's balance. */
@Entity({ schema: 'read', name: 'balance_transactions' })
@Index(['workspaceId', 'customerId', 'position'])
export class BalanceTransactionRow implements BalanceTransaction {
  /** The id of the event that changed the balance. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  customerId: string;

  @Column('text')
  currency: string;

  /** What changed the balance, such as `credited` or `applied`. */
  @Column('text')
  type: BalanceTransaction['type'];

  /** The change of the balance: above zero if it added to the balance, below zero if it took from it. */
  @Column('text')
  amount: DecimalString;

  /** The customer's balance right after the change. */
  @Column('text')
  balance: DecimalString;

  /** The invoice to which the change belongs. Null if it belongs to none. */
  @Column('text', { nullable: true })
  invoiceId: string | null;

  /** The credit note whose issue or void caused the change. Null if no credit note caused it. */
  @Column('text', { nullable: true })
  creditNoteId: string | null;

  /** The payment that used the balance, or whose excess was added to the balance. */
  @Column('text', { nullable: true })
  paymentId: string | null;

  /** The time of the change by the workspace's clock. */
  @InstantColumn()
  createdAt: Instant;

  /** The position of the event in the event log. Changes are listed in the order of this position. */
  @Column('bigint')
  position: string;
}
