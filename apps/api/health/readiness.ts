import { Injectable, Optional, type BeforeApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { elapsedSeconds } from '#libs/kernel/system';
import { EventFeed } from '#libs/kernel/event-store';
import { NatsClient, natsLook } from '#libs/kernel/nats';
import { loadCheckpoints } from '#libs/kernel/projection';
import { CHECK_TIMEOUT_MILLIS, runChecks, unavailable, type ReadyReport } from '#libs/kernel/runtime';

/** Anybody may ask, and a look costs every part something: who asks within this long is told the same. */
const SHARED_MILLIS = 250;

/** Whether the process can serve: asked by load balancers, so it never throws and never takes long. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private stopping = false;
  private last: { report: Promise<ReadyReport>; since: number } | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly feed: EventFeed,
    @Optional() private readonly nats?: NatsClient,
  ) {}

  /** Says that the process is not ready from now on, so that no new requests come while it still serves. */
  drain(): void {
    this.stopping = true;
  }

  beforeApplicationShutdown(): void {
    this.drain();
  }

  async check(): Promise<ReadyReport> {
    // Without a look at the other parts, which may be gone or slow: a balancer is to be told at once.
    if (this.stopping) return unavailable('shutting down');
    const now = elapsedSeconds();
    if (!this.last || now - this.last.since > SHARED_MILLIS / 1_000)
      this.last = { report: this.look(), since: now };
    return this.last.report;
  }

  private look(): Promise<ReadyReport> {
    return runChecks(
      {
        postgres: () => this.pool.query('SELECT 1'),
        eventStore: () => this.feed.head(),
        readModels: () => this.readModelsFollow(),
      },
      natsLook(this.nats),
    );
  }

  /** The read models pass, within the time-out, the event that is newest now. */
  private async readModelsFollow(): Promise<void> {
    const head = await this.feed.head();
    if (head === undefined) return;
    const deadline = elapsedSeconds() + CHECK_TIMEOUT_MILLIS / 1_000;
    while (elapsedSeconds() < deadline) {
      const behind = [...(await loadCheckpoints(this.pool)).values()].filter(
        ({ position }) => position === undefined || position < head,
      );
      if (behind.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('behind');
  }
}
