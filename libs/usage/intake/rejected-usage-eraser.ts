import { Injectable, Optional } from '@nestjs/common';
import { mentionsAnyId, parseJson } from '#libs/kernel/core';
import { deleteMessages, existingStream, managerOf, NatsClient } from '#libs/kernel/nats';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { REJECTED_STREAM, rejectedSubject } from './usage-streams.js';

/** Deletes the rejected usage in NATS that names a person. Does nothing in a process without NATS. */
@Injectable()
export class RejectedUsageEraser implements PersonalDataEraser {
  readonly phase = 'after_key';

  constructor(@Optional() private readonly nats?: NatsClient) {}

  async erase({ workspaceId, customerId }: ErasedPerson): Promise<void> {
    if (!this.nats) return;
    const manager = await managerOf(this.nats.jetStream());
    const stream = await existingStream(manager, REJECTED_STREAM);
    if (stream === undefined) return;
    await deleteMessages(manager, stream, rejectedSubject(workspaceId), (text) => names(text, customerId));
  }
}

/** Tells whether a rejected message names the customer. A message that is no JSON, such as a part of one, names it if it has the id. */
function names(text: string, customerId: string): boolean {
  let sent: unknown;
  try {
    sent = parseJson(text);
  } catch {
    return text.includes(customerId);
  }
  return mentionsAnyId(sent, new Set([customerId]));
}
