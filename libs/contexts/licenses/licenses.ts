import { Injectable } from '@nestjs/common';
import { NotFound, type Instant } from '#libs/kernel/core';
import { aggregateId, type Recorded } from '#libs/kernel/domain';
import { AggregateStore, StreamReader } from '#libs/kernel/event-store';
import { customerLicensesDecider, initialState, type License } from './customer-licenses.js';
import type { LicenseEvent } from './events.js';

/** How many active licenses a customer has of each type, and how many license changes are counted. */
export interface LicenseCounts {
  /** The number of changes (allocations and deactivations) that are counted. */
  changes: number;
  /** The number of active licenses by license type. All license types that the customer ever had are included. */
  active: Record<string, number>;
}

/** An allocation or a deactivation. */
export interface LicenseChange {
  /** The position of the change among all license changes of the customer, starting at 1. */
  readonly number: number;
  readonly licenseTypeId: string;
  /** The number of active licenses of the type after the change. */
  readonly active: number;
  readonly at: Instant;
}

/** Reads and counts the licenses of customers for other contexts, from their streams and never from a read model. */
@Injectable()
export class Licenses {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly streams: StreamReader,
  ) {}

  /** Returns the number of the customer's active licenses, by license type. */
  async countsOf(workspaceId: string, customerId: string): Promise<LicenseCounts> {
    const id = aggregateId(workspaceId, customerId);
    const { changes, active } = (await this.aggregates.load(customerLicensesDecider, id)) ?? initialState;
    return { changes, active };
  }

  /** Returns an active or inactive license, as the customer's stream contains it. Throws NotFound if the customer never had the license. */
  async require(workspaceId: string, customerId: string, licenseId: string): Promise<License> {
    const events = await this.streams.read(streamOf(workspaceId, customerId));
    const [first, last] = (events as Recorded<LicenseEvent>[]).filter(
      ({ data }) => data.licenseId === licenseId,
    );
    if (!first) throw NotFound.of('license', licenseId);
    const { licenseTypeId, at: startedAt } = first.data;
    return { licenseId, customerId, licenseTypeId, startedAt, deactivatedAt: last?.data.at ?? null };
  }

  /** Returns the changes of the customer's licenses in order. The first `counted` changes of the customer's licenses are left out. */
  async changesAfter(workspaceId: string, customerId: string, counted: number): Promise<LicenseChange[]> {
    const events = await this.streams.read(streamOf(workspaceId, customerId), {
      fromRevision: BigInt(counted),
    });
    return events.map((event) => {
      const { licenseTypeId, active, at } = (event as Recorded<LicenseEvent>).data;
      return { number: Number(event.revision) + 1, licenseTypeId, active, at };
    });
  }
}

function streamOf(workspaceId: string, customerId: string): string {
  return `${customerLicensesDecider.category}-${aggregateId(workspaceId, customerId)}`;
}
