import { addMonths, iso, type Moment } from './calendar.ts';
import { Catalog } from './catalog.ts';
import { ApiClient, type Requests } from './client.ts';
import type { DunningAction } from './operations.ts';
import type { System } from '../support/system.ts';

/** The days from the opening of an invoice to its due date, and from there to the last step of dunning. */
const NET_DAYS = 3;
const LAST_STEP_DAYS = 9;
export const DUNNING_DAYS = NET_DAYS + LAST_STEP_DAYS;

const BEGINNING = '2026-01-01T00:00:00.000Z';

/** A workspace in which one history is played after the other: each with a customer of its own, later than the one before. */
export class Lane {
  readonly client: Requests;
  readonly catalog: Catalog;
  /** Since when the catalog is there. */
  readonly since: Moment;
  now: Moment;
  /** The end of the newest month that was closed; null: none was. */
  closedTo: Moment | null = null;

  /** What the last step of dunning does; null: it was not set. */
  private dunning: DunningAction | null = null;

  private constructor(client: Requests, catalog: Catalog, since: Moment, now: Moment) {
    this.since = since;
    this.client = client;
    this.catalog = catalog;
    this.now = now;
  }

  static async open(system: System, from = BEGINNING): Promise<Lane> {
    const { apiKey } = await system.workspace();
    const client = new ApiClient(system.url, { 'x-api-key': apiKey });
    await client.make('PUT', '/v1/sandbox/clock', { now: from });
    // The histories pay from the balance by requests. An invoice that is paid by itself would be paid before such a request.
    await client.make('PUT', '/v1/billing-settings', {
      timezone: 'UTC',
      balancePaysOpenInvoices: false,
      netDays: NET_DAYS,
    });
    const now = Date.parse(from);
    return new Lane(client, await Catalog.create(client), now, now);
  }

  /** Sets what the last step of dunning does. Processes that have started keep their steps. */
  async setDunning(action: DunningAction): Promise<void> {
    if (this.dunning === action) return;
    const steps = [
      { afterDays: 3, template: 'friendly_reminder' },
      { afterDays: LAST_STEP_DAYS, template: 'final_notice', subscription: action },
    ];
    await this.client.make('PUT', '/v1/dunning/policies/default', { steps });
    this.dunning = action;
  }

  /** This lane from some time on, with requests by another client. */
  with(client: Requests, now = this.now): Lane {
    const lane = new Lane(client, this.catalog, this.since, now);
    lane.closedTo = this.closedTo;
    lane.dunning = this.dunning;
    return lane;
  }

  /** Moves the clock. To where it stands: waits until all that is due is done. Answers the status, which is 200 if it moved. */
  async moveTo(to: Moment): Promise<{ status: number; body: unknown }> {
    const answer = await this.client.complete('POST', '/v1/sandbox/clock/advance', { to: iso(to) });
    if (answer.status === 200) this.now = to;
    return answer;
  }

  /** The next time that it is this day and time: `01-31T00:00:00`. */
  next(dayAndTime: string): Moment {
    const year = new Date(this.now).getUTCFullYear();
    const inYear = Date.parse(`${year}-${dayAndTime}.000Z`);
    return inYear >= this.now ? inYear : addMonths(inYear, 12);
  }
}
