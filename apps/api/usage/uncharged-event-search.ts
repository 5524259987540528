import { Injectable } from '@nestjs/common';
import { InvalidRequest, type ListPart } from '#libs/kernel/core';
import {
  ChargeDirectory,
  MetricDirectory,
  uncountedReasonsOf,
  unpricedReasonsOf,
  UsageEventQueries,
  type EventListRequest,
  type ListedEvent,
} from '#libs/usage';

/** The number of events that one query reads. */
const PAGE = 1_000;
/** The time limit of a search is below that of the request, so that a slow search gets an error of its own. */
const TIMEOUT_MILLIS = 7_000;

/** The events to search for. `unmatched` adds events that no metric counts or that a metric skips. */
export interface UnchargedEventRequest extends Omit<EventListRequest, 'unmatchedBy'> {
  readonly unmatched: boolean;
}

/**
 * Searches for events that metrics count and that no price and no credits charge. The search applies the functions that judge new events,
 * with the present metrics and subscriptions.
 */
@Injectable()
export class UnchargedEventSearch {
  constructor(
    private readonly events: UsageEventQueries,
    private readonly metrics: MetricDirectory,
    private readonly charges: ChargeDirectory,
  ) {}

  /**
   * Returns the part of the list of found events, newest first. Throws InvalidRequest (`query_too_slow`) if the search takes more than 7
   * seconds.
   */
  async list({ unmatched, part, ...request }: UnchargedEventRequest): Promise<ListedEvent[]> {
    const { workspaceId } = request;
    const counters = await this.metrics.countingRulesOf(workspaceId);
    const deadline = performance.now() + TIMEOUT_MILLIS;
    const found: ListedEvent[] = [];
    const wanted = part.offset + part.limit;
    for (let after = part.after; ;) {
      const page: ListPart = { limit: PAGE, offset: 0, after };
      const read = await this.events.list({ ...request, part: page });
      const customerIds = new Set(read.map(({ customerId }) => customerId));
      const isCharged = await this.charges.chargeTestFor(workspaceId, customerIds);
      for (const event of read) {
        const named = counters.get(event.eventName) ?? [];
        const isUncounted = uncountedReasonsOf(event.properties, named).length > 0;
        const isFound = isUncounted
          ? unmatched
          : unpricedReasonsOf(event.properties, named, (id) => isCharged(event.customerId, id)).length > 0;
        if (isFound) found.push(event);
      }
      if (found.length >= wanted || read.length < PAGE) return found.slice(part.offset, wanted);
      if (performance.now() > deadline)
        throw new InvalidRequest(
          'query_too_slow',
          `The search for unpriced events takes more than ${TIMEOUT_MILLIS / 1000} seconds; ask for a shorter time range, or for one customerId or eventName`,
        );
      after = this.events.listOrder.keyOf(read.at(-1)!);
    }
  }
}
