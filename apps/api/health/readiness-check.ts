import { Injectable, Optional, type BeforeApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { monotonicSeconds } from '#libs/kernel/system';
import { EventFeed } from '#libs/kernel/event-store';
import { NatsClient, natsCheck } from '#libs/kernel/nats';
import { loadCheckpoints } from '#libs/kernel/projection';
import {
  CHECK_TIMEOUT_MILLIS,
  runChecks,
  unavailableReport,
  type ReadyReport,
  storageCheck,
} from '#libs/kernel/runtime';
import { PrintingCheck } from '#libs/outputs/documents';

/** Health requests within this time share one check, because anybody may send them and each check adds load to all services. */
const SHARED_MILLIS = 250;

/** Finds out whether the process can serve requests, for load balancers. The check never throws and never takes long. */
@Injectable()
export class ReadinessCheck implements BeforeApplicationShutdown {
  private stopping = false;
  private last: { report: Promise<ReadyReport>; since: number } | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly feed: EventFeed,
    private readonly printing: PrintingCheck,
    @Optional() private readonly nats?: NatsClient,
  ) {}

  /**
   * Reports the process as not ready from now on. Load balancers then send no new requests while the process finishes the earlier requests.
   */
  reportNotReady(): void {
    this.stopping = true;
  }

  beforeApplicationShutdown(): void {
    this.reportNotReady();
  }

  async check(): Promise<ReadyReport> {
    // The other services may be gone or slow, so they are not checked: a load balancer needs the answer at once.
    if (this.stopping) return unavailableReport('shutting down');
    const now = monotonicSeconds();
    if (!this.last || now - this.last.since > SHARED_MILLIS / 1_000)
      this.last = { report: this.look(), since: now };
    return this.last.report;
  }

  private look(): Promise<ReadyReport> {
    return runChecks(
      {
        postgres: () => this.pool.query('SELECT 1'),
        ...storageCheck(this.pool),
        eventStore: () => this.feed.readHead(),
        readModels: () => this.readModelsFollow(),
      },
      // Without documents, the API still takes usage and payments.
      { documents: () => this.printing.check(), ...natsCheck(this.nats) },
    );
  }

  /** Waits until the read models have processed the event that is newest now. Throws an Error after the timeout. */
  private async readModelsFollow(): Promise<void> {
    const head = await this.feed.readHead();
    if (head === undefined) return;
    const deadline = monotonicSeconds() + CHECK_TIMEOUT_MILLIS / 1_000;
    while (monotonicSeconds() < deadline) {
      const behind = [...(await loadCheckpoints(this.pool)).values()].filter(
        ({ position }) => position === undefined || position < head,
      );
      if (behind.length === 0) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('behind');
  }
}
