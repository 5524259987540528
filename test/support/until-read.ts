import { EventFeed } from '#libs/kernel/event-store';
import { ReadModelProgress } from '#libs/kernel/projection';
import type { System } from './system.js';

/** More milliseconds than a projector needs on a slow machine. */
const MAX_MILLIS = 120_000;

/** Resolves when every read model has all events that the log has now. */
export async function untilRead({ api }: Pick<System, 'api'>): Promise<void> {
  const head = await api.get(EventFeed, { strict: false }).readHead();
  if (head === undefined) return;
  const isRead = await api.get(ReadModelProgress, { strict: false }).waitFor(head, MAX_MILLIS);
  if (!isRead) throw new Error(`The read models do not come to position ${head}`);
}
