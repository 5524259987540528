import { Injectable, Optional } from '@nestjs/common';
import type { JetStreamManager, MsgRequest } from '@nats-io/jetstream';
import { mentionsAnyId, parseJson } from '#libs/kernel/core';
import { managerOf, NatsClient, streamFor } from '#libs/kernel/nats';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { EVENT_STREAM } from './event-stream.js';

/**
 * Deletes the published messages that name a person or its records, also from JetStream's disk. It reads each stored message of the
 * workspace. Does nothing in a process without NATS.
 */
@Injectable()
export class MessagesEraser implements PersonalDataEraser {
  readonly phase = 'after_key';

  constructor(@Optional() private readonly nats?: NatsClient) {}

  async erase({ workspaceId, ids }: ErasedPerson): Promise<void> {
    if (!this.nats) return;
    const manager = await managerOf(this.nats.jetStream());
    const stream = await streamFor(manager, EVENT_STREAM);
    const subject = `countinghouse.${workspaceId}.>`;
    for await (const message of keptMessages(manager, stream, subject))
      if (mentionsAnyId(parseJson(message.text), ids))
        await manager.streams.deleteMessage(stream, message.seq, true);
  }
}

/** The messages of a subject that a stream keeps, in order. */
async function* keptMessages(
  manager: JetStreamManager,
  stream: string,
  subject: string,
): AsyncGenerator<{ seq: number; text: string }> {
  for (let seq = 1; ; seq++) {
    // The server finds the next message of a subject. The type of the client lacks the field.
    const request = { seq, next_by_subj: subject } as MsgRequest;
    const message = await manager.streams.getMessage(stream, request);
    if (!message) return;
    seq = message.seq;
    yield { seq, text: message.string() };
  }
}
