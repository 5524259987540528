import { Injectable } from '@nestjs/common';
import { WorkspaceClock } from '#libs/workspaces';
import { usageEvents } from '../metrics.js';
import { CustomerDirectory } from './customer-directory.js';
import { newEventIds } from './event-ids.js';
import { rejected, type Refusal, type RejectedEvent } from './rejection.js';
import { TimeWindow, type Reach } from './time-window.js';
import { readUsageEvent, type UsageEvent } from './usage-event.js';
import { UsageLog } from './usage-log.js';
import type { UsageRow } from './usage-row.js';

/** What came of a request's events. */
export interface IngestResult {
  /** Ids of the stored events in the order of the request; for a repeated key the first event's id. */
  readonly accepted: string[];
  readonly rejected: RejectedEvent[];
  /** How many of the accepted had been stored before. */
  readonly repeated: number;
}

/** Takes usage events in: each is judged by itself, and the good ones are stored whatever the others are. */
@Injectable()
export class UsageIngest {
  constructor(
    private readonly log: UsageLog,
    private readonly clock: WorkspaceClock,
    private readonly customers: CustomerDirectory,
  ) {}

  /**
   * Resolves when the accepted events are on disk.
   *
   * @param raw the events as they came in the body
   * @param source who sends them, such as `api_key:key_…`
   * @param reach how far back their time may be
   */
  async ingest(
    accountId: string,
    raw: readonly unknown[],
    source: string,
    reach: Reach = 'live',
  ): Promise<IngestResult> {
    const refusals: RejectedEvent[] = [];
    const events: { index: number; event: UsageEvent }[] = [];
    const customerIds = new Set<string>();
    for (let index = 0; index < raw.length; index++) {
      const event = readUsageEvent(raw[index]);
      if ('code' in event) {
        refusals.push(rejected(index, raw[index], event));
        continue;
      }
      events.push({ index, event });
      customerIds.add(event.customerId);
    }
    if (events.length === 0) {
      usageEvents.inc({ outcome: 'rejected' }, refusals.length);
      return { accepted: [], rejected: refusals, repeated: 0 };
    }

    const [now, missing] = await Promise.all([
      this.clock.now(accountId),
      this.customers.missing(accountId, customerIds),
    ]);
    const window = new TimeWindow(now, reach);
    const ids = newEventIds(events.length);
    const rows: UsageRow[] = [];
    for (const { index, event } of events) {
      const refusal = missing.has(event.customerId)
        ? noCustomer(event.customerId)
        : window.refuse(event.timestamp);
      if (refusal) refusals.push(rejected(index, raw[index], refusal));
      else
        rows.push({
          accountId,
          customerId: event.customerId,
          eventName: event.eventName,
          timestamp: event.timestamp ?? window.now,
          id: ids[rows.length]!,
          idempotencyKey: event.idempotencyKey,
          properties: event.properties,
          source,
        });
    }
    const firstIds = await this.log.append(rows);
    const accepted = rows.map(({ id }, i) => firstIds.get(i) ?? id);
    usageEvents.inc({ outcome: 'stored' }, rows.length - firstIds.size);
    usageEvents.inc({ outcome: 'repeated' }, firstIds.size);
    usageEvents.inc({ outcome: 'rejected' }, refusals.length);
    refusals.sort((a, b) => a.index - b.index);
    return { accepted, rejected: refusals, repeated: firstIds.size };
  }
}

function noCustomer(customerId: string): Refusal {
  return {
    code: 'customer_not_found',
    field: 'customerId',
    reason: `No customer "${customerId}" in this workspace`,
  };
}
