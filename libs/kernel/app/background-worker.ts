import type { Logger } from '#libs/kernel/system';

/** Work that a process does by itself, beside what it is asked for, from its start to its end. */
export abstract class BackgroundWorker {
  /** What the log calls it. */
  abstract readonly name: string;

  /** Runs until `signal` is aborted, and rejects never. Several processes may run one. */
  abstract run(signal: AbortSignal, logger: Logger): Promise<void>;
}
