import { Injectable, Optional } from '@nestjs/common';
import { mentionsAnyId, parseJson } from '#libs/kernel/core';
import { deleteMessages, streamManagerOf, NatsClient, ensureStream } from '#libs/kernel/nats';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { EVENT_STREAM } from './event-stream.js';

/**
 * Deletes the published messages that name a person or the person's resources, also from JetStream's disk. Does nothing in a process
 * without NATS.
 */
@Injectable()
export class PublishedMessagesEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(@Optional() private readonly nats?: NatsClient) {}

  async erase({ workspaceId, ids }: ErasedPerson): Promise<void> {
    if (!this.nats) return;
    const manager = await streamManagerOf(this.nats.requireJetStream());
    const stream = await ensureStream(manager, EVENT_STREAM);
    await deleteMessages(manager, stream, `countinghouse.${workspaceId}.>`, (text) =>
      mentionsAnyId(parseJson(text), ids),
    );
  }
}
