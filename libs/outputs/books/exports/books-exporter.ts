import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { firstMomentAfter } from '#libs/kernel/core';
import { EventFeed } from '#libs/kernel/event-store';
import type { LedgerTransaction } from '#libs/contexts/ledger';
import { BooksBuilder, BooksSums } from '../books-builder.js';
import type { Run } from '../jobs/books-job.js';
import type { BooksExport } from './books-export.js';
import { BooksExportStore, type NumberedTransaction } from './books-export-store.js';
import { LEDGER_FILE_FORMATS, type LedgerBooks } from '../formats/index.js';
import { workspaceEvents } from '../workspace-events.js';

/** The number of transactions that are stored by one statement. */
const STORED_AT_ONCE = 500;
const PART_BYTES = 512 * 1024;
const PROGRESS_MILLIS = 1_000;

/**
 * Makes the file of an export: reads the event log, stores the transactions, and writes them in the order of their dates. The transactions
 * are not kept in memory. When the process is shut down, the reading ends and the attempt fails.
 */
@Injectable()
export class BooksExporter implements OnModuleDestroy {
  private readonly shutdown = new AbortController();

  constructor(
    private readonly store: BooksExportStore,
    private readonly feed: EventFeed,
  ) {}

  /** This hook runs before the one in which the saga waits for the tasks under way. */
  onModuleDestroy(): void {
    this.shutdown.abort();
  }

  /** Makes the file from the beginning. Does nothing if the export has ended or was removed. */
  async makeFile({ id, workspaceId, format, since, until, last }: BooksExport): Promise<void> {
    const head = (await this.feed.readHead()) ?? -1n;
    const run = await this.store.begin(id, head);
    if (run === undefined) return;
    const builder = new BooksBuilder();
    const sums = new BooksSums({ from: since ?? undefined, to: firstMomentAfter(until ?? undefined), last });
    const transactions = new TransactionWriter(this.store, run);
    let reportedAt = performance.now();
    const { signal } = this.shutdown;
    for await (const { events, position } of workspaceEvents(this.feed, workspaceId, head, signal)) {
      for (const event of events) {
        const transaction = builder.post(event);
        if (transaction && sums.add(transaction) === 'listed') await transactions.add(transaction);
      }
      if (performance.now() - reportedAt < PROGRESS_MILLIS) continue;
      reportedAt = performance.now();
      await this.store.recordProgress(run, position);
    }
    for (const transaction of builder.scheduledTransactionsUntil(last))
      if (sums.add(transaction) === 'listed') await transactions.add(transaction);
    await transactions.flush();
    const bytes = await this.writeFile(run, format, sums.booksOf(workspaceId, builder));
    await this.store.complete(run, { transactions: transactions.count, bytes });
  }

  private async writeFile(run: Run, name: BooksExport['format'], books: LedgerBooks): Promise<number> {
    const format = LEDGER_FILE_FORMATS[name];
    const parts = new PartWriter(this.store, run);
    for (const text of format.head(books)) await parts.add(text);
    let index = 0;
    for await (const transaction of this.store.transactions(run))
      await parts.add(format.transaction(transaction, books, index++));
    for (const text of format.tail(books)) await parts.add(text);
    await parts.flush();
    return parts.bytes;
  }
}

class TransactionWriter {
  count = 0;
  private waiting: NumberedTransaction[] = [];

  constructor(
    private readonly store: BooksExportStore,
    private readonly run: Run,
  ) {}

  async add(transaction: LedgerTransaction): Promise<void> {
    this.waiting.push({ number: this.count++, transaction });
    if (this.waiting.length >= STORED_AT_ONCE) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.waiting.length > 0) await this.store.addTransactions(this.run, this.waiting);
    this.waiting = [];
  }
}

class PartWriter {
  bytes = 0;
  private number = 0;
  private waiting: string[] = [];
  private waitingCharacters = 0;

  constructor(
    private readonly store: BooksExportStore,
    private readonly run: Run,
  ) {}

  async add(text: string): Promise<void> {
    this.waiting.push(text);
    this.waitingCharacters += text.length;
    if (this.waitingCharacters >= PART_BYTES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.waiting.length === 0) return;
    const content = Buffer.from(this.waiting.join(''));
    await this.store.addPart(this.run, this.number++, content);
    this.bytes += content.length;
    this.waiting = [];
    this.waitingCharacters = 0;
  }
}
