import type { Pool } from 'pg';
import { inTransaction, isTransient } from '#libs/kernel/postgres';
import type { LogHead, Watermark } from '../../log-head.js';
import type { MeterStore } from '../meter-store.js';
import type { Meter } from '../meter.js';
import {
  runAsOnlyMeterBuild,
  liveMeters,
  getOrCreateSecondMeter,
  watermarkOf,
  type LiveMeter,
} from './live-meters.js';
import { dropMeter } from './old-meters.js';

export { MetersBusy } from './live-meters.js';

/** The settings for rebuilding meters. */
export interface MeterBuildOptions {
  /** The workspace whose meters are rebuilt. If absent, the meters of all workspaces are rebuilt. */
  readonly workspaceId?: string;
  /** Stops the rebuild, which can be continued later. */
  readonly signal: AbortSignal;
  /** This function is called with the number of events to fold, and the number of meters. */
  readonly onBegin: (events: number, meters: number) => void;
  /** This function is called with the number of events that are folded so far. */
  readonly folded: (events: number) => void;
}

/** The result of a rebuild of meters. */
export interface MeterRebuildResult {
  readonly meters: number;
  readonly events: number;
}

/**
 * Thrown if events cannot be folded. The message names the workspace, the event name and the position in the usage log. The live meter is
 * unchanged.
 */
export class MeterFailed extends Error {
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

/** Rebuilds meters from the usage log, next to the meters in use. */
export class MeterRebuild {
  constructor(
    private readonly pool: Pool,
    private readonly meters: MeterStore,
    private readonly head: LogHead,
  ) {}

  /**
   * Folds the log again for each meter, and replaces the meter by the result in one transaction. If the rebuild is interrupted, the
   * finished work is kept, and the next rebuild continues from it. The meter that was live before is kept as `old`. Throws {@link
   * MetersBusy} and {@link MeterFailed}.
   */
  async run(options: MeterBuildOptions): Promise<MeterRebuildResult> {
    return runAsOnlyMeterBuild(this.pool, async () => {
      const live = await liveMeters(this.pool, options.workspaceId);
      const events = await this.fold(live, 'next', options);
      for (const meter of live) await this.swap(meter);
      return { meters: live.length, events };
    });
  }

  /** Folds all present events of the log for the second meters of the live ones. Returns the number of these events. */
  async fold(
    live: readonly LiveMeter[],
    role: 'next' | 'check',
    { signal, onBegin: begun, folded }: MeterBuildOptions,
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

  /** Folds the second meter of a live one up to `head`. Calls `folded` after each chunk. */
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
      throw new MeterFailed(live, await watermarkOf(this.pool, meter), error as Error);
    }
  }

  /**
   * Replaces the live meter. A caller that has already looked up the earlier meter continues to use it. That is correct, because the
   * earlier meter is still folded on demand.
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
