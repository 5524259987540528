import { Injectable, Optional } from '@nestjs/common';
import { Pool } from 'pg';
import { mentionsAnyId, parseJson, Unavailable } from '#libs/kernel/core';
import type { Position } from '#libs/kernel/domain';
import { EventFeed } from '#libs/kernel/event-store';
import { deleteMessages, streamManagerOf, NatsClient, streamNames } from '#libs/kernel/nats';
import { loadRelayPosition } from '#libs/kernel/saga';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { RELAY } from './event-stream.js';
import { isPublished } from './published.js';

const BATCH = 500;

/**
 * Deletes the published messages that name a person or the person's resources, also from JetStream's disk. Waits until all
 * earlier events are published. Does nothing in a process without NATS.
 */
@Injectable()
export class PublishedMessagesEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(
    private readonly pool: Pool,
    private readonly feed: EventFeed,
    @Optional() private readonly nats?: NatsClient,
  ) {}

  async erase({ workspaceId, ids, position }: ErasedPerson): Promise<void> {
    if (!this.nats) return;
    const manager = await streamManagerOf(this.nats.requireJetStream());
    await this.requirePublished(position);
    const subject = `countinghouse.${workspaceId}.>`;
    for (const stream of await streamNames(manager, subject))
      await deleteMessages(manager, stream, subject, (text) => mentionsAnyId(parseJson(text), ids));
  }

  /**
   * Throws Unavailable while a public event before `position` is possibly not published. The relay can have read it before the key was
   * erased, and publishes it later with its texts.
   */
  private async requirePublished(position: Position): Promise<void> {
    const published = await loadRelayPosition(this.pool, RELAY);
    // The relay stores its position seldom while no event is public.
    for await (const batch of this.feed.history(published, BATCH, new AbortController().signal)) {
      if (batch.events.some((event) => event.position <= position && isPublished(event)))
        throw new Unavailable(
          'events_not_published',
          'Not all events are published to NATS; the erasure waits for them',
        );
      if (batch.position >= position) return;
    }
  }
}
