import type { Logger } from '#libs/kernel/system';

/** Work that a process does in the background as long as the process runs, in addition to answering requests. */
export abstract class BackgroundWorker {
  /** The worker's name in log lines. */
  abstract readonly name: string;

  /** Runs until `signal` is aborted. Never rejects. Several processes may run the same worker. */
  abstract run(signal: AbortSignal, logger: Logger): Promise<void>;
}
