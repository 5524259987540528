import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import { elapsedSeconds } from '#libs/core';
import { EventFeed } from '#libs/event-store';
import { loadCheckpoints } from '#libs/projection';

/** What one part answered. */
interface Check {
  status: 'ok' | 'unavailable';
  message?: string;
}

const TIMEOUT_MILLIS = 2_000;

/** Whether the process can serve: asked by load balancers, so it never throws and never takes long. */
@Injectable()
export class Readiness implements BeforeApplicationShutdown {
  private stopping = false;

  constructor(
    private readonly pool: Pool,
    private readonly feed: EventFeed,
  ) {}

  /** Readiness goes first, so that no new requests come while those in hand are finished. */
  beforeApplicationShutdown(): void {
    this.stopping = true;
  }

  async check(): Promise<{ ready: boolean; checks: Record<string, Check> }> {
    const [postgres, eventStore, readModels] = await Promise.all([
      attempt(async () => void (await this.pool.query('SELECT 1'))),
      attempt(async () => void (await this.feed.head())),
      attempt(() => this.readModelsFollow()),
    ]);
    const checks: Record<string, Check> = { postgres, eventStore, readModels };
    if (this.stopping) checks.process = { status: 'unavailable', message: 'shutting down' };
    return { ready: Object.values(checks).every(({ status }) => status === 'ok'), checks };
  }

  /** The read models pass, within the time-out, the event that is newest now. */
  private async readModelsFollow(): Promise<void> {
    const head = await this.feed.head();
    if (head === undefined) return;
    const deadline = elapsedSeconds() + TIMEOUT_MILLIS / 1_000;
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

async function attempt(look: () => Promise<void>): Promise<Check> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MILLIS} ms`)), TIMEOUT_MILLIS);
  });
  try {
    await Promise.race([look(), timeout]);
    return { status: 'ok' };
  } catch (error) {
    return { status: 'unavailable', message: timeoutMessage(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** Addresses and credentials in driver errors are nobody's business. */
function timeoutMessage(error: unknown): string {
  const { message } = error as Error;
  return message.startsWith('no answer within') ? message : 'not reachable';
}
