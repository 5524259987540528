import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { DecimalString } from '#libs/kernel/core';
import type { AccountCode } from '#libs/contexts/ledger';

/**
 * The sum of an account's postings on one accounting date. Balances are computed from the daily sums, and from the single postings of the
 * last days.
 */
@Entity({ schema: 'read', name: 'ledger_daily_balances' })
@Index(['workspaceId', 'date'])
export class LedgerDailySumRow {
  /** The id consists of all other columns except the amount. */
  @PrimaryColumn('text')
  id: string;

  /** The id of the workspace. */
  @Column('text')
  workspaceId: string;

  /** The accounting date, such as `2026-01-31`. */
  @Column('text')
  date: string;

  @Column('text')
  currency: string;

  @Column('text')
  account: AccountCode;

  /**
   * The id of the price or tax rate by which the account is divided. Null if the account is not divided, and for amounts without a price.
   */
  @Column('text', { nullable: true })
  detail: string | null;

  /** The sum of the day's postings. Debits are positive, and credits are negative. */
  @Column('numeric')
  amount: DecimalString;
}
