import type { SagaRunner } from '#libs/kernel/saga';

/** Runs the process managers in the background and says when they cannot go on. */
export class SagaProcess {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;
  /** Rejects when the process managers cannot go on. */
  readonly failed: Promise<never>;
  private fail: (error: unknown) => void;

  constructor(private readonly runner: SagaRunner) {
    this.failed = new Promise<never>((_, reject) => (this.fail = reject));
    this.failed.catch(() => undefined);
  }

  start(): void {
    this.running = this.runner.run(this.abort.signal).catch((error: unknown) => {
      if (!this.abort.signal.aborted) this.fail(error);
    });
  }

  /** Finishes the tasks in hand. */
  async stop(): Promise<void> {
    this.abort.abort();
    await this.running;
  }
}
