import type { CustomerCalendar } from '../windows/limit-window.js';

/**
 * Looks up the calendars of customers: their time zones and subscriptions, which decide when the windows of their limits begin and end. The
 * application provides the implementation, because the context has no read models.
 */
export abstract class CustomerCalendars {
  /**
   * Returns the calendars of these customers. Every request with usage that limits apply to calls this method, so it should usually return
   * from memory.
   *
   * @param version the present version of the workspace's limit rules. {@link MovedWindows} raises it when calendars have changed. So calendars
   * that were read for an earlier version are read again.
   */
  abstract of(
    workspaceId: string,
    version: string,
    customerIds: readonly string[],
  ): Promise<ReadonlyMap<string, CustomerCalendar>>;
}
