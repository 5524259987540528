import { Injectable, Optional } from '@nestjs/common';
import { mentionsAnyId, parseJson } from '#libs/kernel/core';
import { deleteMessages, streamNames, streamManagerOf, NatsClient } from '#libs/kernel/nats';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { rejectedSubject } from './usage-streams.js';

/** Deletes the rejected usage in NATS that contains a person's id. The eraser does nothing in a process without NATS. */
@Injectable()
export class RejectedUsageEraser implements PersonalDataEraser {
  readonly phase = 'after_key_erasure';

  constructor(@Optional() private readonly nats?: NatsClient) {}

  async erase({ workspaceId, customerId }: ErasedPerson): Promise<void> {
    if (!this.nats) return;
    const manager = await streamManagerOf(this.nats.requireJetStream());
    const subject = rejectedSubject(workspaceId);
    for (const stream of await streamNames(manager, subject))
      await deleteMessages(manager, stream, subject, (text) => names(text, customerId));
  }
}

/**
 * Tells whether a rejected message contains the customer's id. A message that is not valid JSON, such as a part of a message, matches if
 * its text contains the id.
 */
function names(text: string, customerId: string): boolean {
  let sent: unknown;
  try {
    sent = parseJson(text);
  } catch {
    return text.includes(customerId);
  }
  return mentionsAnyId(sent, new Set([customerId]));
}
