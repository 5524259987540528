import pMap from 'p-map';
import { type StreamReader } from '#libs/kernel/event-store';
import { isStreamOf, type RecordedEvent } from '#libs/kernel/domain';
import { vocabulary } from '#libs/manifest';
import { invoicesProjection, type InvoiceRow } from '#projections/invoices';
import type { LedgerDifference } from '#libs/outputs/books';
import { differencesText, fieldDifferences } from './difference.js';
import { invoiceDifferenceSubject, type InvoiceStream } from './invoice-stream.js';
import { OF_WORKSPACE, type ReadModelSnapshot } from './read-model-snapshot.js';

const PERSONAL_FIELDS = vocabulary().specOf('InvoiceCreated')?.personal?.fields ?? [];
const READS = 16;

/** Compares invoices with their rows in the read model, which `GET /v1/invoices` shows. */
export class InvoiceRowsCheck {
  private readonly upTo: bigint;
  private expected = 0;

  constructor(
    private readonly readSide: ReadModelSnapshot,
    private readonly streams: StreamReader,
    private readonly workspaceId: string | undefined,
  ) {
    this.upTo = readSide.positionOf(invoicesProjection.name);
  }

  /** Returns the differences between the given invoices and their rows. */
  async check(invoices: readonly InvoiceStream[]): Promise<LedgerDifference[]> {
    const listed = invoices.filter(({ creation: created }) => created.position <= this.upTo);
    this.expected += listed.length;
    const rows = await this.readSide.findRows<InvoiceRow>(
      `SELECT * FROM read.invoices WHERE ${OF_WORKSPACE} AND stream = ANY($2)`,
      [this.workspaceId, listed.map(({ creation: created }) => created.stream)],
    );
    const byStream = new Map(rows.map((row) => [row.stream, row]));
    return listed.flatMap((invoice) => {
      const problem = this.problemOf(invoice, byStream.get(invoice.creation.stream));
      if (problem === undefined) return [];
      const { position } =
        invoice.events.findLast((event) => event.position <= this.upTo) ?? invoice.creation;
      return [{ position, subject: invoiceDifferenceSubject(invoice), problem }];
    });
  }

  /** Returns the rows that have no invoice of their workspace in the event store. The search runs only if there are more rows than invoices. */
  async findRowsWithoutInvoice(): Promise<LedgerDifference[]> {
    const [{ count } = { count: '0' }] = await this.readSide.findRows<{ count: string }>(
      `SELECT count(*) FROM read.invoices WHERE ${OF_WORKSPACE}`,
      [this.workspaceId],
    );
    if (Number(count) <= this.expected) return [];
    const differences: LedgerDifference[] = [];
    let page: InvoiceRow[] = [];
    const judge = async (): Promise<void> => {
      const isKnown = async ({ stream, workspaceId }: InvoiceRow): Promise<boolean> =>
        isStreamOf(workspaceId, stream) && (await this.streams.has(stream));
      const known = await pMap(page, isKnown, { concurrency: READS });
      differences.push(...page.filter((_, i) => !known[i]).map(rowWithoutInvoice));
      page = [];
    };
    const rows = this.readSide.streamRows<InvoiceRow>(`SELECT * FROM read.invoices WHERE ${OF_WORKSPACE}`, [
      this.workspaceId,
    ]);
    for await (const row of rows) {
      page.push(row);
      if (page.length === 1_000) await judge();
    }
    await judge();
    return differences;
  }

  private problemOf({ events }: InvoiceStream, row: InvoiceRow | undefined): string | undefined {
    if (!row) return 'missing from the list of invoices';
    try {
      const differences = fieldDifferences(this.rowOf(events), row);
      if (differences.length === 0) return undefined;
      return `its row differs from its events: ${differencesText(differences, PERSONAL_FIELDS)}`;
    } catch (error) {
      return `its row cannot be computed: ${(error as Error).message}`;
    }
  }

  private rowOf(events: readonly RecordedEvent[]): InvoiceRow | undefined {
    return events
      .filter(({ position }) => position <= this.upTo)
      .reduce<InvoiceRow | undefined>(
        (row, event) => invoicesProjection.evolve(row, event as never),
        undefined,
      );
  }
}

function rowWithoutInvoice({ workspaceId, id, createdPosition }: InvoiceRow): LedgerDifference {
  return {
    position: BigInt(createdPosition),
    subject: `invoice ${id} of ${workspaceId}`,
    problem: 'it is in the list of invoices, but no event created it',
  };
}
