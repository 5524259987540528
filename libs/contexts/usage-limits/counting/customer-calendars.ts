import type { CustomerCalendar } from '../windows/limit-window.js';

/**
 * Looks up the calendars of customers: their time zones and subscriptions, which decide when the windows of their limits begin and end. The
 * application provides the implementation, because the context has no read models.
 */
export abstract class CustomerCalendars {
  /**
   * Returns the calendars of these customers. Every request with usage that limits apply to calls this method, so it should usually return
   * from memory. The method returns nothing that it read before the rules had this version: {@link MovedWindows} raises the version when
   * calendars have changed.
   */
  abstract of(
    workspaceId: string,
    version: string,
    customerIds: readonly string[],
  ): Promise<ReadonlyMap<string, CustomerCalendar>>;
}
