import { UnreadableEvent } from '#libs/kernel/event-store';
import { ProcessManager, type Task, type TaskRequest } from '#libs/kernel/saga';
import { systemClock, type Logger } from '#libs/kernel/system';
import { LedgerStopped } from '#libs/contexts/ledger';
import type { BooksJob } from './books-job.js';

/** A job is given up after this number of attempts, so that it does not keep the workspace from another one for ever. */
const MAX_ATTEMPTS = 20;

/** The part of a {@link BooksJobStore} that the process manager needs. */
interface Store<Job> {
  find(id: string): Promise<Job | undefined>;
  fail(id: string, error: string): Promise<void>;
}

/**
 * Does the jobs of one kind. The tasks do not follow from events: the request for a job adds its task. If the process ends meanwhile,
 * another one does the job from the beginning.
 */
export abstract class BooksJobProcess<
  Job extends BooksJob,
  Tasks extends object,
> extends ProcessManager<Tasks> {
  /** A job reads the whole log, so one saga process does one of each kind at a time. */
  override readonly slots = 1;

  /** The name of a job in the log, such as `export`. */
  protected abstract readonly job: string;

  /**
   * The reason that the API shows for all failures but those of `LedgerStopped`. Other messages can name the systems of the operator, or
   * events of other workspaces.
   */
  protected abstract readonly failure: string;

  constructor(
    private readonly store: Store<Job>,
    private readonly logger: Logger,
  ) {
    super({ now: () => Promise.resolve(systemClock.now()) });
  }

  override react(): TaskRequest<Tasks>[] {
    return [];
  }

  /** Does a job from the beginning. */
  protected abstract execute(job: Job): Promise<void>;

  /** The handler of the task of a job. */
  protected async attempt(id: string, { attempt }: Task): Promise<void> {
    const job = await this.store.find(id);
    if (job === undefined || job.endedAt !== null) return;
    // An attempt that ended its process threw no error, so it is counted only here.
    if (attempt > MAX_ATTEMPTS) return this.giveUp(id, new Error(`${MAX_ATTEMPTS} attempts have not ended`));
    try {
      await this.execute(job);
    } catch (error) {
      // These errors are the same in each attempt, until an operator has mended the log.
      const isFinal = error instanceof LedgerStopped || error instanceof UnreadableEvent;
      if (!isFinal && attempt < MAX_ATTEMPTS) throw error;
      await this.giveUp(id, error as Error);
    }
  }

  private async giveUp(id: string, error: Error): Promise<void> {
    this.logger.warn({ [this.job]: id, error: error.message }, `${this.job} of the books failed`);
    await this.store.fail(id, error instanceof LedgerStopped ? error.message : this.failure);
  }
}
