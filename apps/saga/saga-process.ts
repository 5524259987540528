import type { SagaRunner } from '#libs/kernel/saga';

/** Runs the process managers in the background, and reports when they cannot continue. */
export class SagaProcess {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;
  /** A promise that rejects when the process managers cannot continue. */
  readonly failure: Promise<never>;
  private fail: (error: unknown) => void;

  constructor(private readonly runner: SagaRunner) {
    this.failure = new Promise<never>((_, reject) => (this.fail = reject));
    this.failure.catch(() => undefined);
  }

  start(): void {
    this.running = this.runner.run(this.abort.signal).catch((error: unknown) => {
      if (!this.abort.signal.aborted) this.fail(error);
    });
  }

  /** Stops the process managers after the tasks that are running now. */
  async stop(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
