import { Decimal, moneyString, sumOf } from '#libs/kernel/core';
import type { Position, Recorded, RecordedEvent } from '#libs/kernel/domain';
import type { MonthFigures, RevenueMonthEvent } from '#libs/contexts/revenue';
import { DEFERRED_ACCOUNTS, EARNED_ACCOUNTS, ledgerProjection } from '#projections/ledger';
import type { LedgerDifference } from '#libs/outputs/books';
import { differencesText, fieldDifferences } from './difference.js';
import type { ReadModelSnapshot } from './read-model-snapshot.js';

type Amounts = Omit<MonthFigures, 'currency'>;

/**
 * The sums of the postings of one month in one currency. Each posting counts only for the first closing that includes it. `closing` is the
 * number of this closing, from 1. A figure is null if its accounts have no postings.
 */
interface PostedSums extends Readonly<Record<keyof Amounts, string | null>> {
  readonly currency: string;
  readonly month: string;
  readonly closing: number;
}

/** A posting into a month that was closed before the event of the posting. */
interface LatePosting {
  readonly position: string;
  readonly eventType: string;
  readonly description: string;
  readonly date: string;
}

const FIGURES = ['billed', 'recognised', 'deferred', 'unbilled'] as const satisfies (keyof Amounts)[];

/**
 * The closings of a workspace, oldest first, with `month`, `position` and `place`. Postings up to `position` in the event log belong to the
 * closing. `place` counts from 1.
 */
const CLOSED = `closed AS (
  SELECT month, position, place FROM unnest($2::text[], $3::bigint[]) WITH ORDINALITY AS c (month, position, place))`;

/** Compares the figures of closed months with the ledger's rows, and finds postings that were added to a month after its closing. */
export class ClosedMonthsCheck {
  private readonly closings = new Map<string, Recorded<RevenueMonthEvent>[]>();
  private readonly upTo: bigint;

  constructor(private readonly readSide: ReadModelSnapshot) {
    this.upTo = readSide.positionOf(ledgerProjection.name);
  }

  /** Stores the closing of a month for the check. Closings that the rows of the ledger do not include yet are ignored. */
  observe(event: RecordedEvent): void {
    if (event.type !== ('RevenueMonthClosed' satisfies RevenueMonthEvent['type'])) return;
    if (event.position > this.upTo) return;
    const { workspaceId } = event.metadata;
    const closing = event as Recorded<RevenueMonthEvent>;
    this.closings.set(workspaceId, [...(this.closings.get(workspaceId) ?? []), closing]);
  }

  /** Returns the differences of all closed months. */
  async finish(): Promise<LedgerDifference[]> {
    const found: LedgerDifference[][] = [];
    for (const [workspaceId, closings] of this.closings)
      found.push(
        await this.differentFigures(workspaceId, closings),
        await this.latePostings(workspaceId, closings),
      );
    return found.flat();
  }

  private async differentFigures(
    workspaceId: string,
    closings: readonly Recorded<RevenueMonthEvent>[],
  ): Promise<LedgerDifference[]> {
    const sums = await this.readSide.findRows<PostedSums>(
      `WITH ${CLOSED}
       SELECT currency, month, closing::int, sum(-amount)::text AS billed,
         (sum(-amount) FILTER (WHERE account = ANY($4)))::text AS recognised,
         (sum(-amount) FILTER (WHERE account = ANY($5)))::text AS deferred,
         (sum(amount) FILTER (WHERE account = 'unbilled_receivables'))::text AS unbilled
       FROM (
         SELECT currency, account, amount, left(date, 7) AS month,
           (SELECT min(place) FROM closed c WHERE c.month >= left(p.date, 7) AND c.position >= p.position) AS closing
         FROM read.ledger_postings p
         WHERE workspace_id = $1 AND account = ANY($4::text[] || $5::text[] || ARRAY['unbilled_receivables'])) parts
       WHERE closing IS NOT NULL GROUP BY currency, month, closing`,
      [...parametersOf(workspaceId, closings), EARNED_ACCOUNTS, DEFERRED_ACCOUNTS],
    );
    return closings.flatMap(({ position, data: { month, currencies: frozen } }, i) => {
      const counted = sums.filter(({ closing }) => closing <= i + 1);
      const names = new Set([...frozen, ...counted].map(({ currency }) => currency));
      return [...names].sort().flatMap((currency) => {
        const figures = frozen.find((one) => one.currency === currency);
        const posted = postedFigures(
          counted.filter((one) => one.currency === currency),
          month,
          currency,
        );
        const differences = fieldDifferences(posted, amountsOf(figures, currency));
        return differences.length === 0
          ? []
          : [
              {
                position,
                subject: nameOf(workspaceId, month),
                problem: `${currency}: ${differencesText(differences)}`,
              },
            ];
      });
    });
  }

  private async latePostings(
    workspaceId: string,
    closings: readonly Recorded<RevenueMonthEvent>[],
  ): Promise<LedgerDifference[]> {
    const late = await this.readSide.findRows<LatePosting>(
      `WITH ${CLOSED}
       SELECT DISTINCT position::text, event_type, description, date FROM read.ledger_postings p
       WHERE workspace_id = $1 AND date <= $4
         AND position > (SELECT c.position FROM closed c WHERE c.month >= left(p.date, 7) ORDER BY c.place LIMIT 1)
       ORDER BY position, date`,
      [...parametersOf(workspaceId, closings), `${closings.at(-1)!.data.month}-31`],
    );
    return late.map(({ position, eventType, description, date }) => ({
      position: BigInt(position),
      subject: nameOf(workspaceId, date.slice(0, 'yyyy-mm'.length)),
      problem: `${eventType} posted "${description}" on ${date}, after the month was closed`,
    }));
  }
}

function parametersOf(workspaceId: string, closings: readonly Recorded<RevenueMonthEvent>[]): unknown[] {
  const includedUpTo = ({ data, position }: Recorded<RevenueMonthEvent>): Position => {
    const own = BigInt(data.position ?? -1);
    return own < position ? own : position;
  };
  return [
    workspaceId,
    closings.map(({ data }) => data.month),
    closings.map((closing) => includedUpTo(closing).toString()),
  ];
}

/** The figures of a month, from the sums of its postings and of the postings of earlier months. */
function postedFigures(sums: readonly PostedSums[], month: string, currency: string): Amounts {
  const sum = (name: keyof Amounts, counted: readonly PostedSums[]) =>
    sumOf(counted.map((one) => one[name] ?? '0'));
  const own = sums.filter((one) => one.month === month);
  return {
    billed: moneyString(sum('billed', own), currency),
    recognised: moneyString(sum('recognised', own), currency),
    deferred: moneyString(sum('deferred', sums), currency),
    unbilled: moneyString(sum('unbilled', sums), currency),
  };
}

/** Returns the figures that a closing stored for a currency. All amounts are 0 if the closing has no figures for the currency. */
function amountsOf(figures: MonthFigures | undefined, currency: string): Amounts {
  const money = (name: keyof Amounts) => moneyString(new Decimal(figures?.[name] ?? 0), currency);
  return Object.fromEntries(FIGURES.map((name) => [name, money(name)])) as unknown as Amounts;
}

function nameOf(workspaceId: string, month: string): string {
  return `closed month ${month} of ${workspaceId}`;
}
