import type { Pool } from 'pg';
import { inTransaction, isTransient } from '#libs/kernel/postgres';
import type { LogHead, Watermark } from '../../log-head.js';
import type { MeterStore } from '../meter-store.js';
import type { Meter } from '../meter.js';
import {
  runAsOnlyMeterBuild,
  findLiveMeters,
  getOrCreateSecondMeter,
  watermarkOf,
  type LiveMeter,
} from './live-meters.js';
import { dropMeter } from './old-meters.js';

export { MetersBusy } from './live-meters.js';

/** The settings for rebuilding or verifying meters. */
export interface MeterBuildOptions {
  /** The workspace whose meters are rebuilt or verified. If absent, the work is done for all workspaces. */
  readonly workspaceId?: string;
  /** The signal that stops the work. A stopped rebuild can be continued later, a stopped verification cannot. */
  readonly signal: AbortSignal;
  /** `onBegin` is called with the number of events to fold, and the number of meters. */
  readonly onBegin: (events: number, meters: number) => void;
  /** `onFolded` is called with the number of events that are folded so far. */
  readonly onFolded: (events: number) => void;
}

/** The result of a rebuild of meters. */
export interface MeterRebuildResult {
  /** The number of rebuilt meters. */
  readonly meters: number;
  /** The number of events that were folded into the new meters. */
  readonly events: number;
}

/**
 * Thrown if events cannot be folded. The error message contains the workspace, the event name and the position in the usage log. The live
 * meter is unchanged.
 */
export class MeterFoldFailed extends Error {
  constructor(
    { eventName, workspaceId, aggregation }: LiveMeter,
    readonly after: Watermark,
    cause: Error,
  ) {
    super(
      `The ${aggregation.type} of "${eventName}" of ${workspaceId} failed after position ${after} of the usage log: ${cause.message}`,
      { cause },
    );
  }
}

/** Rebuilds meters from the usage log, while the old meters are still used. */
export class MeterRebuild {
  constructor(
    private readonly pool: Pool,
    private readonly meters: MeterStore,
    private readonly head: LogHead,
  ) {}

  /**
   * Folds the usage log into a new copy of each meter, and replaces the meter by the copy in one transaction. If the rebuild is
   * interrupted, the finished copies are kept, and the next rebuild continues from them. The replaced meter is kept in the role `old`.
   * Throws {@link MetersBusy} and {@link MeterFoldFailed}.
   */
  async run(options: MeterBuildOptions): Promise<MeterRebuildResult> {
    return runAsOnlyMeterBuild(this.pool, async () => {
      const live = await findLiveMeters(this.pool, options.workspaceId);
      const events = await this.fold(live, 'next', options);
      for (const meter of live) await this.swap(meter);
      return { meters: live.length, events };
    });
  }

  /** Folds all present events of the usage log into the copies of the live meters. Returns the number of events that were folded. */
  async fold(
    live: readonly LiveMeter[],
    role: 'next' | 'check',
    { signal, onBegin: begun, onFolded: folded }: MeterBuildOptions,
  ): Promise<number> {
    const head = await this.head.read();
    const beside: { meter: Meter; events: number }[] = [];
    for (const one of live) {
      const meter = await getOrCreateSecondMeter(this.pool, one, role);
      beside.push({ meter, events: await this.eventsBehind(meter, head) });
    }
    const total = beside.reduce((sum, { events }) => sum + events, 0);
    begun(total, live.length);
    let done = 0;
    for (const [index, { meter, events }] of beside.entries()) {
      await this.foldUpTo(live[index]!, meter, head, (chunks) => {
        signal.throwIfAborted();
        folded(done + Math.min(events, chunks * this.meters.eventsPerFold));
      });
      done += events;
      folded(done);
    }
    return total;
  }

  /**
   * Folds events up to `head` into the copy of a live meter, in chunks of events. If more chunks follow, calls `folded` with the number of
   * chunks so far.
   */
  async foldUpTo(
    live: LiveMeter,
    meter: Meter,
    head: Watermark,
    folded: (chunks: number) => void = () => undefined,
  ): Promise<void> {
    try {
      for (let chunks = 1; await this.meters.foldNext(meter, head, 'wait'); chunks++) folded(chunks);
    } catch (error) {
      if ((error as Error).name === 'AbortError' || isTransient(error)) throw error;
      throw new MeterFoldFailed(live, await watermarkOf(this.pool, meter), error as Error);
    }
  }

  /**
   * Replaces the live meter by its new copy. A caller that has already looked up the old meter continues to use it. Measurements by the old
   * meter stay correct, because the old meter is still folded on demand.
   */
  private async swap(live: LiveMeter): Promise<void> {
    const next = await getOrCreateSecondMeter(this.pool, live, 'next');
    await inTransaction(this.pool, (tx) => dropMeter(tx, live.key, 'old'));
    await inTransaction(this.pool, async (tx) => {
      const reached = await watermarkOf(tx, live, true);
      await this.foldUpTo(live, next, reached);
      await tx.query(`UPDATE usage.meters SET role = 'old' WHERE id = $1`, [live.id]);
      await tx.query(`UPDATE usage.meters SET role = 'live' WHERE id = $1`, [next.id]);
    });
  }

  private async eventsBehind({ id, streamId }: Meter, head: Watermark): Promise<number> {
    const { rows } = await this.pool.query<{ events: number }>(
      `SELECT count(*)::float8 AS events FROM usage.events
       WHERE stream_id = $1 AND seq <= $2 AND seq > (SELECT watermark FROM usage.meters WHERE id = $3)`,
      [streamId, head, id],
    );
    return rows[0]!.events;
  }
}
