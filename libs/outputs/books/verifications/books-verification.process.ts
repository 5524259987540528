import type { TaskHandlers } from '#libs/kernel/saga';
import type { Logger } from '#libs/kernel/system';
import { BooksJobProcess } from '../jobs/books-job.process.js';
import type { BooksVerification } from './books-verification.js';
import type { BooksVerificationRunner } from './books-verification-runner.js';
import { BOOKS_VERIFICATION_PROCESS, type BooksVerificationStore } from './books-verification-store.js';

interface Tasks {
  /** Verifies the books of a workspace. */
  verify: { verificationId: string };
}

/** Verifies the books of workspaces. */
export class BooksVerificationProcess extends BooksJobProcess<BooksVerification, Tasks> {
  readonly name = BOOKS_VERIFICATION_PROCESS;
  protected override readonly job = 'verification';
  protected override readonly failure =
    'The books could not be verified. The log of the saga names the cause with the id of this verification; ask the operator, and then request another verification';

  protected override readonly tasks: TaskHandlers<Tasks> = {
    verify: ({ verificationId }, _, task) => this.attempt(verificationId, task),
  };

  constructor(
    store: BooksVerificationStore,
    private readonly runner: BooksVerificationRunner,
    logger: Logger,
  ) {
    super(store, logger);
  }

  protected override execute(verification: BooksVerification): Promise<void> {
    return this.runner.verify(verification);
  }
}
