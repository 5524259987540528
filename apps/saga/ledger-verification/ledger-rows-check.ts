import pMap from 'p-map';
import { Decimal, decimalString } from '#libs/kernel/core';
import { isStreamOf, type Position, type RecordedEvent } from '#libs/kernel/domain';
import type { StreamReader } from '#libs/kernel/event-store';
import { accountKeyText, postEvent, type StreamPostingState } from '#libs/contexts/ledger';
import { postingRules } from '#libs/manifest';
import { ledgerProjection, postingRows, type LedgerPostingRow } from '#projections/ledger';
import type { LedgerDifference } from '#libs/outputs/books';
import { differencesText, fieldDifferences } from './difference.js';
import { invoiceDifferenceSubject, type InvoiceStream } from './invoice-stream.js';
import { OF_WORKSPACE, type ReadModelSnapshot } from './read-model-snapshot.js';

const READS = 16;

/** A daily balance of an account that differs from the sum of the day's postings. */
interface WrongBalance {
  workspaceId: string;
  date: string;
  currency: string;
  account: string;
  detail: string | null;
  /** The position of the newest event with a posting on this day; null if no event has one. */
  position: string | null;
  posted: string;
  balance: string;
}

/** The number of postings of a stream in a workspace, with the position of the first one. */
interface PostingsOfStream {
  readonly workspaceId: string;
  readonly stream: string;
  readonly position: string;
  readonly count: string;
}

/** A stream whose events the ledger posts. `subject` is the text that names the stream's ledger entries in reported differences. */
export interface PostedStream {
  readonly stream: string;
  /** The position that the reported difference has if the postings of the stream cannot be computed. */
  readonly position: Position;
  readonly subject: string;
  readonly events: readonly RecordedEvent[];
}

/** Compares the postings computed from the events of invoices and accruals with the ledger's rows, which `GET /v1/ledger/…` shows. */
export class LedgerRowsCheck {
  private readonly upTo: bigint;

  constructor(
    private readonly readSide: ReadModelSnapshot,
    private readonly streams: StreamReader,
    private readonly workspaceId: string | undefined,
  ) {
    this.upTo = readSide.positionOf(ledgerProjection.name);
  }

  /** Returns the differences between the computed postings of the given invoices and their rows. */
  async check(invoices: readonly InvoiceStream[]): Promise<LedgerDifference[]> {
    const rows = await this.readSide.findRows<LedgerPostingRow>(
      `SELECT * FROM read.ledger_postings WHERE ${OF_WORKSPACE} AND invoice_id = ANY($2)`,
      [this.workspaceId, invoices.map(({ creation: created }) => created.data.invoiceId)],
    );
    const byStream = Map.groupBy(rows, ({ stream }) => stream);
    return invoices.flatMap((invoice) => {
      const { stream, position } = invoice.creation;
      const posted = {
        stream,
        position,
        subject: `ledger entries of ${invoiceDifferenceSubject(invoice)}`,
        events: invoice.events,
      };
      return this.differences(posted, byStream.get(stream) ?? []);
    });
  }

  /** Returns the differences between the computed postings of one stream and their rows. */
  async checkStream(posted: PostedStream): Promise<LedgerDifference[]> {
    const [first] = posted.events as readonly (RecordedEvent & { data: { customerId?: string } })[];
    // The rows are found by an index on workspace and customer.
    const rows = await this.readSide.findRows<LedgerPostingRow>(
      'SELECT * FROM read.ledger_postings WHERE workspace_id = $1 AND customer_id = $2 AND stream = $3',
      [first?.metadata.workspaceId, first?.data.customerId, posted.stream],
    );
    return this.differences(posted, rows);
  }

  /** Returns the rows whose stream does not exist in the event store, or is not of the workspace of the row. */
  async findRowsWithoutStream(): Promise<LedgerDifference[]> {
    const unlisted = await this.readSide.findRows<PostingsOfStream>(
      `SELECT workspace_id, stream, min(position) AS position, count(*) FROM read.ledger_postings p
       WHERE ${OF_WORKSPACE} AND NOT EXISTS (
         SELECT FROM read.invoices i WHERE i.stream = p.stream AND strpos(p.stream, '-' || p.workspace_id || '.') > 0)
       GROUP BY workspace_id, stream ORDER BY workspace_id, stream`,
      [this.workspaceId],
    );
    const isKnown = async ({ workspaceId, stream }: PostingsOfStream): Promise<boolean> =>
      isStreamOf(workspaceId, stream) && (await this.streams.has(stream));
    const known = await pMap(unlisted, isKnown, { concurrency: READS });
    return unlisted
      .filter((_, i) => !known[i])
      .map(({ workspaceId, stream, position, count }) => ({
        position: BigInt(position),
        // A verification of one workspace must not name another workspace.
        subject: isStreamOf(workspaceId, stream)
          ? `ledger entries of ${stream}`
          : `ledger entries of ${workspaceId} from another workspace`,
        problem: `${count} rows that no event posts`,
      }));
  }

  /** Returns the daily balances that differ from the sums of their postings. */
  async findWrongBalances(): Promise<LedgerDifference[]> {
    const wrong = await this.readSide.findRows<WrongBalance>(
      `SELECT workspace_id, date::text, currency, account, detail, position::text, coalesce(posted, 0)::text AS posted,
         coalesce(balance, 0)::text AS balance
       FROM (
         SELECT workspace_id, date, currency, account, coalesce(detail, '') AS detail, sum(amount) AS posted,
           max(position) AS position
         FROM read.ledger_postings WHERE ${OF_WORKSPACE} GROUP BY 1, 2, 3, 4, 5
       ) p FULL JOIN (
         SELECT workspace_id, date, currency, account, coalesce(detail, '') AS detail, sum(amount) AS balance
         FROM read.ledger_daily_balances WHERE ${OF_WORKSPACE} GROUP BY 1, 2, 3, 4, 5
       ) b USING (workspace_id, date, currency, account, detail)
       WHERE coalesce(posted, 0) <> coalesce(balance, 0)
       ORDER BY workspace_id, date, currency, account, detail`,
      [this.workspaceId],
    );
    return wrong.map(({ workspaceId, date, currency, account, detail, position, posted, balance }) => ({
      position: position === null ? undefined : BigInt(position),
      subject: `ledger of ${workspaceId}, ${[account, detail].filter(Boolean).join(':')} on ${date}`,
      problem: `${balance} ${currency} is shown, but ${posted} was posted`,
    }));
  }

  private differences(
    { subject, position, events }: PostedStream,
    rows: readonly LedgerPostingRow[],
  ): LedgerDifference[] {
    let expected: Map<string, LedgerPostingRow>;
    try {
      expected = this.postings(events);
    } catch (error) {
      return [{ position, subject, problem: (error as Error).message }];
    }
    const differences: LedgerDifference[] = [];
    const differs = (row: LedgerPostingRow, problem: string): void =>
      void differences.push({
        position: BigInt(row.position),
        subject,
        problem: `${nameOf(row)} ${problem}`,
      });
    for (const row of rows) {
      const must = expected.get(row.id);
      expected.delete(row.id);
      if (!must) {
        differs(row, 'has a row, but no event posts it');
        continue;
      }
      const fields = fieldDifferences(withExactAmount(must), withExactAmount(row));
      if (fields.length > 0) differs(must, `differs from its event: ${differencesText(fields)}`);
    }
    for (const row of expected.values()) differs(row, 'is missing');
    return differences;
  }

  private postings(events: readonly RecordedEvent[]): Map<string, LedgerPostingRow> {
    let book: StreamPostingState | undefined;
    const rows = new Map<string, LedgerPostingRow>();
    for (const event of events) {
      if (event.position > this.upTo) break;
      const posted = postEvent(postingRules(), event, book);
      book = posted.nextState;
      for (const row of posted.canceledTransactions.flatMap(postingRows)) rows.delete(row.id);
      for (const row of posted.transactions.flatMap(postingRows)) rows.set(row.id, row);
    }
    return rows;
  }
}

/** Removes trailing zeros from the amount, since they do not count as a difference. */
function withExactAmount(row: LedgerPostingRow): LedgerPostingRow {
  return { ...row, amount: decimalString(new Decimal(row.amount)) };
}

function nameOf({ account, detail, amount, currency, at }: LedgerPostingRow): string {
  return `${amount} ${currency} on ${accountKeyText({ account, detail })} at ${at}`;
}
