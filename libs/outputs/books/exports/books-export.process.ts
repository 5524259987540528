import type { TaskHandlers } from '#libs/kernel/saga';
import type { Logger } from '#libs/kernel/system';
import { BooksJobProcess } from '../jobs/books-job.process.js';
import type { BooksExport } from './books-export.js';
import { BOOKS_EXPORT_PROCESS, type BooksExportStore } from './books-export-store.js';
import type { BooksExporter } from './books-exporter.js';

interface Tasks {
  /** Makes the file of an export. */
  export: { exportId: string };
}

/** Makes the files of exports of the books. */
export class BooksExportProcess extends BooksJobProcess<BooksExport, Tasks> {
  readonly name = BOOKS_EXPORT_PROCESS;
  protected override readonly job = 'export';
  protected override readonly failure =
    'The file could not be made. The log of the saga names the cause with the id of this export; ask the operator, and then request another export';

  protected override readonly tasks: TaskHandlers<Tasks> = {
    export: ({ exportId }, _, task) => this.attempt(exportId, task),
  };

  constructor(
    store: BooksExportStore,
    private readonly exporter: BooksExporter,
    logger: Logger,
  ) {
    super(store, logger);
  }

  protected override execute(one: BooksExport): Promise<void> {
    return this.exporter.makeFile(one);
  }
}
