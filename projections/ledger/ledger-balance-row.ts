import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DecimalString } from '#libs/kernel/core';
import type { AccountCode } from '#libs/contexts/ledger';

/** What was posted to an account on one day of the books, so that a balance need not be added up from single postings. */
@Entity({ schema: 'read', name: 'ledger_daily_balances' })
@Index(['workspaceId', 'date'])
export class LedgerBalanceRow {
  /** Made of all the columns but the amount. */
  @PrimaryColumn('text')
  id: string;

  /** The workspace. */
  @Column('text')
  workspaceId: string;

  @Column('text')
  date: string;

  @Column('text')
  currency: string;

  @Column('text')
  account: AccountCode;

  @Column('text', { nullable: true })
  priceId: string | null;

  /** The sum of the day's postings: a debit above zero, a credit below. */
  @Column('numeric')
  amount: DecimalString;
}
