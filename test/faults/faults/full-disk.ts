import { setTimeout as pause } from 'node:timers/promises';
import type { FleetOptions } from '../fleet/fleet.ts';
import type { SmallDisk } from '../../support/small-disk.ts';
import type { JournalingClient } from '../load/client.ts';
import { EVENT_NAME, openWorkspace } from '../load/workspace.ts';
import type { World } from '../world.ts';
import type { Fault, Strike } from './fault.ts';

/** What the table calls it. */
export const FULL_DISK = 'full disk';
/** The defect that it must not leave behind. */
export const FULL_DISK_CONTROL = 'a usage event gone from the log';
/** Room for a cluster with its log, for what a round writes, log files included, and for a browser that two APIs unpack at once. */
export const DISK_MEGABYTES = 640;
/** So that the log of the server is a small part of the disk. */
const DISK_SETTINGS = ['max_wal_size=48MB', 'min_wal_size=32MB', 'shared_buffers=32MB'];

/** The disk stays full until so many writes were refused. */
const REFUSALS = 3;
/** More than fits into the pages that the tables have. */
const BATCH = 1_000;
const NOTE = 'x'.repeat(1_000);

/** What puts everything that a fleet stores on this disk. */
export function onDisk({ folder }: SmallDisk): Pick<FleetOptions, 'dataFolder' | 'postgresSettings'> {
  return { dataFolder: folder, postgresSettings: DISK_SETTINGS };
}

/** The disk of the database and of the log files is full for a while. */
export function fullDisk(disk: SmallDisk): Fault {
  return { name: FULL_DISK, control: FULL_DISK_CONTROL, strikes: [fillDisk(disk)] };
}

/** Fills the disk until writes were refused with 503, gives the room back, and answers how many were. */
export function fillDisk(disk: SmallDisk): Strike {
  return async (world) => {
    const greedy = await greedyClient(world);
    // A server that finds no room for its own log ends, and comes back when there is some.
    const refused = (): number =>
      ['storage_full', 'database_unavailable'].reduce(
        (sum, code) => sum + (world.traffic.putOff.get(code) ?? 0),
        0,
      );
    const before = refused();
    await disk.fill();
    const sent = greedy();
    while (refused() - before < REFUSALS) {
      await pause(50);
      // The server itself may give room back: it recycles its log at every checkpoint.
      await disk.fill();
    }
    await disk.empty();
    const { status } = await sent;
    const stored = await storedOf(world);
    if (status !== 200 || stored !== BATCH)
      throw new Error(`With room again, ${BATCH} events came to ${status}, and ${stored} are stored`);
    return refused() - before;
  };
}

/** A client with a great deal to store, in a workspace of its own. */
async function greedyClient(world: World): Promise<() => ReturnType<JournalingClient['post']>> {
  const { client } = await openWorkspace('greedy', world.stranger('greedy'), world.webhookLink.port);
  const customerId = 'greedy';
  await client.post('/v1/customers', { id: customerId, name: 'Greedy' }, 'greedy/customer');
  const events = Array.from({ length: BATCH }, (_, index) => ({
    customerId,
    eventName: EVENT_NAME,
    idempotencyKey: `greedy/${index}`,
    properties: { units: 1, note: `${index} ${NOTE}` },
  }));
  return () => client.post('/v1/events', events);
}

async function storedOf({ pool }: World): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM usage.log WHERE idempotency_key LIKE 'greedy/%'`,
  );
  return rows[0]!.count;
}
