import { systemClock } from '#libs/kernel/system';
import { isTracing, startSpan } from '#libs/kernel/telemetry';
import type { RecordedEvent } from '#libs/kernel/domain';

/**
 * Work on events older than this is not traced: older events are read only to fill a read model. The traces in which the older events were
 * appended have ended long ago.
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
