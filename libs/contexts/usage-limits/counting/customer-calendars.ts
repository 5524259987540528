import type { CustomerCalendar } from '../windows/limit-window.js';

/**
 * Looks up the calendars of customers, which are their time zones and subscriptions. The calendars decide when the windows of limits begin
 * and end. The application implements this class, because the context of usage limits has no read models.
 */
export abstract class CustomerCalendars {
  /**
   * Returns the calendars of the given customers. Every request with usage under a limit calls this method, so it should usually answer
   * from memory.
   *
   * @param version the present version of the workspace's limit rules. {@link WindowMover} raises this version when calendars have
   * changed. Calendars that were read for an earlier version of the rules are then read again.
   */
  abstract calendarsOf(
    workspaceId: string,
    version: string,
    customerIds: readonly string[],
  ): Promise<ReadonlyMap<string, CustomerCalendar>>;
}
