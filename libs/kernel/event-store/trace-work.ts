import { systemClock } from '#libs/kernel/system';
import { isTracing, startSpan } from '#libs/kernel/telemetry';
import type { RecordedEvent } from '#libs/kernel/domain';

/**
 * Events older than this are read only to fill a read model. Work on older events is not shown in the traces that caused them, which have
 * ended long ago.
 */
const RECENT_MILLIS = 60_000;

/** Runs `work` on events, and shows the work in the traces of recently appended events. */
export async function traceWorkOn<T>(
  name: string,
  events: readonly RecordedEvent[],
  work: () => Promise<T>,
): Promise<T> {
  if (!isTracing()) return work();
  const since = systemClock.nowMillis() - RECENT_MILLIS;
  const recent = events.filter((event) => event.metadata.traceParent && event.recordedAt.getTime() > since);
  const byAppend = Map.groupBy(recent, (event) => event.metadata.traceParent);
  const spans = [...byAppend].map(([parent, appended]) =>
    startSpan(() => ({
      name,
      kind: 'consumer',
      parent,
      attributes: { 'countinghouse.event_types': appended.map(({ type }) => type) },
    })),
  );
  let failed = true;
  try {
    const result = await work();
    failed = false;
    return result;
  } finally {
    for (const span of spans) span?.end({ failed });
  }
}
