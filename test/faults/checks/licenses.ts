import { Decimal } from '#libs/kernel/core';
import { dayOf, DAYS_BEFORE_USAGE } from '../load/sending.ts';
import { EPOCH, SEAT_PRICE } from '../load/workspace.ts';
import type { Facts, License, Subscription } from './facts.ts';
import { doubled, lost, wrong, type Finding } from './finding.ts';
import { nextMonth, sumOfAmounts } from './money.ts';
import { acknowledgement } from './writes.ts';

/** Each license is as it was answered, and each seat is billed once. */
export function checkLicenses(facts: Facts): Finding[] {
  const changes = licenseChanges(facts);
  return [
    ...facts.licenses.flatMap((license) => checkStatus(license, changes)),
    ...facts.subscriptions
      .filter(({ planId }) => planId === facts.workspace.seatPlanId)
      .flatMap((subscription) => checkSeats(subscription, facts, changes)),
  ];
}

/** When a license was allocated and deactivated, by what was answered. */
interface LicenseChanges {
  customerId: string;
  startedAt: string;
  deactivatedAt: string | undefined;
}

function licenseChanges({ entries }: Facts): Map<string, LicenseChanges> {
  const changes = new Map<string, LicenseChanges>();
  for (const entry of entries) {
    const body = acknowledgement(entry)?.body;
    if (body === undefined || entry.method !== 'POST') continue;
    if (entry.path === '/v1/licenses') {
      const { id, customerId, startedAt } = body as { id: string } & LicenseChanges;
      changes.set(id, { customerId, startedAt, deactivatedAt: undefined });
    }
    const [, deactivated] = /^\/v1\/licenses\/([^/]+)\/deactivate$/.exec(entry.path) ?? [];
    const change = changes.get(deactivated ?? '');
    if (change) change.deactivatedAt = (body as { deactivatedAt: string }).deactivatedAt;
  }
  return changes;
}

function checkStatus(
  { id, deactivatedAt }: License,
  changes: ReadonlyMap<string, LicenseChanges>,
): Finding[] {
  const describe = (at: string | null | undefined) => (at ? `deactivated at ${at}` : 'active');
  const expected = describe(changes.get(id)?.deactivatedAt);
  const found = describe(deactivatedAt);
  return found === expected ? [] : [lost(`License ${id} was answered as ${expected} and is ${found}`)];
}

/** The lines of each month must come to the seats at its start, and to the further ones from their allocation on. */
function checkSeats(
  { id, customerId, startedAt }: Subscription,
  { invoices, clock }: Facts,
  changes: ReadonlyMap<string, LicenseChanges>,
): Finding[] {
  const own = [...changes.values()].filter((license) => license.customerId === customerId);
  const seatsAt = (at: string): number =>
    own.filter(({ startedAt: from, deactivatedAt: to }) => from <= at && (to === undefined || to >= at))
      .length;
  const billed = Map.groupBy(
    invoices
      .filter(({ subscriptionId, status }) => subscriptionId === id && status !== 'void')
      .flatMap(({ lines }) => lines),
    ({ periodStart }) => periodStart.slice(0, 7),
  );
  const findings: Finding[] = [];
  for (let start = startedAt; start <= clock; start = nextMonth(start)) {
    const month = start.slice(0, 7);
    const end = nextMonth(start);
    const seats = seatsAt(start);
    // Seats are freed when a month has begun, and added later. So those of a month are the ones at its end, if they are more.
    const more = Math.max(0, seatsAt(end <= clock ? end : clock) - seats);
    const expected = new Decimal(SEAT_PRICE)
      .times(new Decimal(seats).plus(new Decimal(more).times(shareAfterAllocation(start))))
      .toDecimalPlaces(2);
    const found = sumOfAmounts(billed.get(month) ?? []);
    billed.delete(month);
    if (!found.eq(expected))
      findings.push(
        (found.gt(expected) ? doubled : lost)(
          `The seats of ${customerId} in ${month} are billed with ${found.toFixed()}, in place of ${expected.toFixed()}`,
        ),
      );
  }
  for (const month of billed.keys()) findings.push(wrong(`Seats of ${customerId} are billed for ${month}`));
  return findings;
}

/** What is left of a month on the day on which licenses are allocated. */
function shareAfterAllocation(start: string): Decimal {
  const first = new Date(EPOCH);
  const at = new Date(start);
  const month = (at.getUTCFullYear() - first.getUTCFullYear()) * 12 + at.getUTCMonth() - first.getUTCMonth();
  const [begin, allocated, end] = [dayOf(month, 0), dayOf(month, DAYS_BEFORE_USAGE), dayOf(month + 1, 0)].map(
    (instant) => Date.parse(instant),
  ) as [number, number, number];
  return new Decimal(end - allocated).div(end - begin);
}
