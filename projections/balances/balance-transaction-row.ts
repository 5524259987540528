import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { BalanceTransaction } from '#libs/contexts/balances';
import type { DecimalString, Instant } from '#libs/kernel/core';
import { InstantColumn } from '#libs/kernel/postgres';

/** A change of a customer's balance. */
@Entity({ schema: 'read', name: 'balance_transactions' })
@Index(['workspaceId', 'customerId', 'position'])
export class BalanceTransactionRow implements BalanceTransaction {
  /** The id of the event. */
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  workspaceId: string;

  @Column('text')
  customerId: string;

  @Column('text')
  currency: string;

  @Column('text')
  type: BalanceTransaction['type'];

  @Column('text')
  amount: DecimalString;

  @Column('text')
  balance: DecimalString;

  @Column('text', { nullable: true })
  invoiceId: string | null;

  @Column('text', { nullable: true })
  creditNoteId: string | null;

  /** The payment that used the balance, or whose excess was added to the balance. */
  @Column('text', { nullable: true })
  paymentId: string | null;

  @InstantColumn()
  createdAt: Instant;

  @Column('bigint')
  position: string;
}
