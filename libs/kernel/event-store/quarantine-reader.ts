import { StreamNotFoundError, type EventStoreDBClient, type ResolvedEvent } from '@eventstore/db-client';
import {
  evolveQuarantine,
  NOTHING_QUARANTINED,
  QUARANTINE_STREAM,
  quarantineEvents,
  type Quarantine,
  type QuarantineEvent,
} from '#libs/kernel/domain';
import { readEvents } from './leader-client.js';

/** Tells the codec which events of the log are set aside. */
export interface QuarantineSource {
  /** The quarantine as it was last read. */
  current(): Promise<Quarantine>;
  /** The quarantine as it is now. */
  reload(): Promise<Quarantine>;
}

/** The source for programs and tests whose log has no quarantined event. */
export const noQuarantine: QuarantineSource = {
  current: () => Promise.resolve(NOTHING_QUARANTINED),
  reload: () => Promise.resolve(NOTHING_QUARANTINED),
};

/**
 * Reads the stream of the quarantine. It is read directly, since the readers of the log stand before a quarantined event until they know
 * that it is quarantined. A process reads it once at its first use, and again whenever it meets an event that it cannot read or that was
 * quarantined. Both are rare.
 */
export class QuarantineReader implements QuarantineSource {
  private known: Promise<Quarantine> | undefined;

  constructor(private readonly client: EventStoreDBClient) {}

  current(): Promise<Quarantine> {
    return this.known ?? this.reload();
  }

  reload(): Promise<Quarantine> {
    const reading = this.read();
    this.known = reading;
    reading.catch(() => {
      if (this.known === reading) this.known = undefined;
    });
    return reading;
  }

  private async read(): Promise<Quarantine> {
    let quarantine = NOTHING_QUARANTINED;
    for (const { event } of await this.stored()) {
      if (!event || !Object.hasOwn(quarantineEvents, event.type)) continue;
      const { workspaceId = '' } = (event.metadata ?? {}) as { workspaceId?: string };
      const recorded = { workspaceId, position: String(event.position?.commit ?? 0n) };
      quarantine = evolveQuarantine(quarantine, event as unknown as QuarantineEvent, recorded);
    }
    return quarantine;
  }

  private async stored(): Promise<ResolvedEvent[]> {
    try {
      return await readEvents(() => this.client.readStream(QUARANTINE_STREAM));
    } catch (error) {
      if (error instanceof StreamNotFoundError) return [];
      throw error;
    }
  }
}
