import type { CustomerCalendar } from '../windows/limit-window.js';

/** Looks up what the windows of customers depend on. The application provides the implementation, because the context has no read models. */
export abstract class LimitCalendars {
  /** It is called for every request with usage that limits apply to, so it should usually return from memory. */
  abstract of(
    workspaceId: string,
    customerIds: readonly string[],
  ): Promise<ReadonlyMap<string, CustomerCalendar>>;
}
