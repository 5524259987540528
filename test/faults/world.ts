import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { EventStoreDBClient } from '@eventstore/db-client';
import { EventVocabulary } from '#libs/kernel/domain';
import { EventCodec, EventFeed, noPersonalDataKeys } from '#libs/kernel/event-store';
import { createPool } from '../support/database.ts';
import { Fleet, type FleetOptions } from './fleet/fleet.ts';
import type { Link } from './fleet/link.ts';
import { JournalingClient, Traffic } from './load/client.ts';
import { Journal } from './load/journal.ts';
import type { Random } from './load/random.ts';
import { Receivers } from './load/receivers.ts';

/** What the fleet is, and where the journal goes. */
export type WorldOptions = Omit<FleetOptions, 'dataFolder'> &
  Partial<Pick<FleetOptions, 'dataFolder'>> & { folder: string };

/** The product under test, with everything around it: its clients and what they write down, and the receivers. */
export class World {
  readonly traffic = new Traffic();
  readonly fleet: Fleet;
  readonly journal: Journal;
  readonly receivers: Receivers;
  /** From the sagas to the receivers. */
  readonly webhookLink: Link;
  /** Looks at the database around every link. */
  readonly pool: pg.Pool;
  /** Likewise at the event store. */
  readonly feed: EventFeed;
  private readonly client: EventStoreDBClient;

  private constructor(fleet: Fleet, journal: Journal, receivers: Receivers, webhookLink: Link) {
    this.fleet = fleet;
    this.journal = journal;
    this.receivers = receivers;
    this.webhookLink = webhookLink;
    this.pool = createPool({ url: fleet.databaseUrl });
    this.client = EventStoreDBClient.connectionString(fleet.eventStoreUrl);
    this.feed = new EventFeed(this.client, new EventCodec(noPersonalDataKeys, new EventVocabulary([])));
  }

  /** @param folder for the journal, and for what the fleet stores unless that has a disk of its own */
  static async begin({ folder, ...options }: WorldOptions, random: Random): Promise<World> {
    await mkdir(folder, { recursive: true });
    const journal = await Journal.begin(join(folder, 'journal.ndjson'));
    const receivers = await Receivers.start(random.of('receivers'));
    try {
      const fleet = await Fleet.start({ dataFolder: folder, ...options });
      const link = await fleet.connect('saga', 'receivers', receivers.port);
      return new World(fleet, journal, receivers, link);
    } catch (error) {
      await receivers.close();
      await journal.close();
      throw error;
    }
  }

  /** A client of nobody's yet, whose entries are this workspace's. */
  stranger(workspace: string): JournalingClient {
    return new JournalingClient({
      journal: this.journal,
      traffic: this.traffic,
      apiUrls: this.fleet.apiUrls,
      workspace,
    });
  }

  async end(): Promise<void> {
    await this.client.dispose();
    await this.pool.end();
    await this.fleet.stop();
    await this.receivers.close();
    await this.journal.close();
  }
}
