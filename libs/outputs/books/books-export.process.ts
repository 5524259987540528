import { UnreadableEvent } from '#libs/kernel/event-store';
import { ProcessManager, type Task, type TaskHandlers, type TaskRequest } from '#libs/kernel/saga';
import { systemClock, type Logger } from '#libs/kernel/system';
import { LedgerStopped } from '#libs/contexts/ledger';
import { type BooksExporter } from './books-exporter.js';
import { BOOKS_PROCESS, type BooksExportStore } from './books-export-store.js';

/** An export is given up after this number of attempts, so that it does not keep the workspace from another one for ever. */
const MAX_ATTEMPTS = 20;

/** Other messages than those of `LedgerStopped` can name the systems of the operator, or events of other workspaces. */
const COULD_NOT_BE_MADE =
  'The file could not be made. The log of the saga names the cause with the id of this export; ask the operator, and then request another export';

interface Tasks {
  /** Makes the file of an export. */
  export: { exportId: string };
}

/**
 * Makes the files of exports of the books. The tasks do not follow from events: the request for an export adds its task. If the process
 * ends meanwhile, another one makes the file from the beginning.
 */
export class BooksExportProcess extends ProcessManager<Tasks> {
  readonly name = BOOKS_PROCESS;
  /** An export reads the whole log, so one saga process makes one at a time. */
  override readonly slots = 1;

  constructor(
    private readonly store: BooksExportStore,
    private readonly exporter: BooksExporter,
    private readonly logger: Logger,
  ) {
    super({ now: () => Promise.resolve(systemClock.now()) });
  }

  override react(): TaskRequest<Tasks>[] {
    return [];
  }

  protected override readonly tasks: TaskHandlers<Tasks> = {
    export: ({ exportId }, _, task) => this.export(exportId, task),
  };

  private async export(id: string, { attempt }: Task): Promise<void> {
    const asked = await this.store.find(id);
    if (asked === undefined || asked.endedAt !== null) return;
    // An attempt that ended its process threw no error, so it is counted only here.
    if (attempt > MAX_ATTEMPTS) return this.giveUp(id, new Error(`${MAX_ATTEMPTS} attempts have not ended`));
    try {
      await this.exporter.makeFile(asked);
    } catch (error) {
      // These errors are the same in each attempt, until an operator has mended the log.
      const isFinal = error instanceof LedgerStopped || error instanceof UnreadableEvent;
      if (!isFinal && attempt < MAX_ATTEMPTS) throw error;
      await this.giveUp(id, error as Error);
    }
  }

  private async giveUp(id: string, error: Error): Promise<void> {
    this.logger.warn({ export: id, error: error.message }, 'an export of the books could not be made');
    await this.store.fail(id, error instanceof LedgerStopped ? error.message : COULD_NOT_BE_MADE);
  }
}
