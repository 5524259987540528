import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Pool } from 'pg';
import { Repository } from 'typeorm';
import type { Instant, ListOrder, ListPart } from '#libs/kernel/core';
import {
  addDays,
  earliestInstantOfDate,
  isDateMoment,
  latestInstantOfDate,
  type AccountBalance,
  type AccountCode,
  type ReportMoment,
} from '#libs/contexts/ledger';
import { ledgerProjection } from './ledger.projection.js';
import { LedgerPostingRow } from './ledger-posting-row.js';

/** The conditions that the returned ledger entries meet. If a field is omitted, entries are not filtered by it. */
export interface LedgerFilter {
  account?: AccountCode;
  customerId?: string;
  invoiceId?: string;
  /** Only entries at or after this moment are returned. */
  from?: ReportMoment;
  /** Only entries before this moment are returned. */
  to?: ReportMoment;
}

/**
 * The balances of accounts, and the position in the event log up to which the ledger included events. The position is undefined if the
 * ledger has no events yet.
 */
export interface LedgerBalances {
  balances: AccountBalance[];
  position: string | undefined;
}

/** A date after all postings. The API accepts times up to the year 2999, and periods end at most some years later. */
const LATEST_DATE = '9999-12-31';

/**
 * The date of an entry. The expression `|| ''` hides the column's statistics from Postgres, which assumes that instants and dates are
 * independent. With statistics, Postgres would expect few matching entries, and would read and sort all entries of a long time.
 */
const DATE = `(entry.date || '')`;

@Injectable()
export class LedgerQueries {
  readonly listOrder: ListOrder<LedgerPostingRow> = {
    list: 'ledger_entries',
    keyParts: ['instant', 'number', 'text', 'integer'],
    keyOf: ({ at, position, transactionId, line }) => [at, position, transactionId, String(line)],
  };

  constructor(
    @InjectRepository(LedgerPostingRow) private readonly postings: Repository<LedgerPostingRow>,
    private readonly pool: Pool,
  ) {}

  /**
   * Returns the balances of the workspace's accounts, from all postings that had taken effect both by `moment` and by `now`. If `moment` is
   * an instant, the caller must make sure that it is not after `now`.
   */
  async balancesAt(workspaceId: string, moment: ReportMoment, now: Instant): Promise<LedgerBalances> {
    const [until, last] = isDateMoment(moment) ? [now, moment] : [moment, LATEST_DATE];
    // This day has ended in all time zones, so all postings in the sums up to this day have taken effect.
    const over = addDays(until.slice(0, 10), -2);
    const summed = over < last ? over : last;
    // Entries of this date are no later in any time zone. So later ones need not be read.
    const end = last === LATEST_DATE ? until : latestInstantOfDate(last);
    const through = end < until ? end : until;
    // One statement reads the balances and the position, so that they belong together.
    const { rows } = await this.pool.query<{ balances: AccountBalance[] | null; position: string | null }>(
      `SELECT
         (SELECT position::text FROM projection.checkpoints WHERE name = $4) AS position,
         (SELECT json_agg(json_build_object(
            'account', account, 'detail', detail, 'currency', currency, 'balance', balance::text))
          FROM (
            SELECT account, detail, currency, sum(amount) AS balance FROM (
              SELECT account, detail, currency, amount FROM read.ledger_daily_balances
              WHERE workspace_id = $1 AND date <= $2
              UNION ALL
              SELECT account, detail, currency, amount FROM read.ledger_postings
              WHERE workspace_id = $1 AND date > $2 AND date <= $5 AND at >= $6 AND at <= $3
            ) parts GROUP BY account, detail, currency
          ) sums) AS balances`,
      [workspaceId, summed, through, ledgerProjection.name, last, earliestInstantOfDate(summed)],
    );
    const { balances, position } = rows[0]!;
    return { balances: balances ?? [], position: position ?? undefined };
  }

  /** Returns a page of the workspace's entries that have taken effect by `now`, in the order in which they took effect. */
  async list(
    workspaceId: string,
    { account, customerId, invoiceId, from, to }: LedgerFilter,
    now: Instant,
    { limit, offset, after }: ListPart,
  ): Promise<LedgerPostingRow[]> {
    const query = this.postings
      .createQueryBuilder('entry')
      .where('entry.workspaceId = :workspaceId', { workspaceId })
      .andWhere('entry.at <= :now', { now });
    if (account !== undefined) query.andWhere('entry.account = :account', { account });
    if (customerId !== undefined) query.andWhere('entry.customerId = :customerId', { customerId });
    if (invoiceId !== undefined) query.andWhere('entry.invoiceId = :invoiceId', { invoiceId });
    if (from !== undefined) {
      // The index is on the instant, so a date is also turned into the earliest instant that can have this date.
      query.andWhere('entry.at >= :first', {
        first: isDateMoment(from) ? earliestInstantOfDate(from) : from,
      });
      if (isDateMoment(from)) query.andWhere(`${DATE} >= :from`, { from });
    }
    if (to !== undefined) {
      query.andWhere('entry.at < :end', { end: isDateMoment(to) ? latestInstantOfDate(to) : to });
      if (isDateMoment(to)) query.andWhere(`${DATE} < :to`, { to });
    }
    if (after) {
      const [at, position, transactionId, line] = after;
      query.andWhere(
        '(entry.at, entry.position, entry.transactionId, entry.line) > (:at, :position, :transactionId, :line)',
        { at, position, transactionId, line },
      );
    }
    return query
      .orderBy('entry.at')
      .addOrderBy('entry.position')
      .addOrderBy('entry.transactionId')
      .addOrderBy('entry.line')
      .limit(limit)
      .offset(offset)
      .getMany();
  }
}
