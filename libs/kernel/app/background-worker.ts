import type { Logger } from '#libs/kernel/system';

/** Work that a process does on its own from its start to its end, beside answering requests. */
export abstract class BackgroundWorker {
  /** The worker's name in log lines. */
  abstract readonly name: string;

  /** Runs until `signal` is aborted, and rejects never. Several processes may run one. */
  abstract run(signal: AbortSignal, logger: Logger): Promise<void>;
}
