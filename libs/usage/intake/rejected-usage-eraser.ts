import { Injectable, Optional } from '@nestjs/common';
import { isObject, parseJson } from '#libs/kernel/core';
import { deleteMessages, streamNames, streamManagerOf, NatsClient } from '#libs/kernel/nats';
import type { ErasedPerson, PersonalDataEraser } from '#libs/manifest';
import { rejectedSubject } from './usage-streams.js';

/** Deletes the rejected usage in NATS that is about a person. The eraser does nothing in a process without NATS. */
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
 * Tells whether a rejected message is about the customer. An event without a customer matches if it contains the id anywhere, since its
 * fields may have other names. A message that is not valid JSON, such as a part of a message, matches if its text contains the id.
 */
function names(text: string, customerId: string): boolean {
  let sent: unknown;
  try {
    sent = parseJson(text);
  } catch {
    return text.includes(customerId);
  }
  const events =
    isObject(sent) && Array.isArray(sent['events']) ? (sent['events'] as unknown[]) : [sent].flat();
  return events.some((event) => {
    const told = isObject(event) ? event['customerId'] : undefined;
    return typeof told === 'string' ? told === customerId : hasText(event, customerId);
  });
}

/** Tells whether a JSON value has the text in any of its fields. */
function hasText(value: unknown, text: string): boolean {
  if (typeof value !== 'object' || value === null) return value === text;
  return Object.values(value).some((part) => hasText(part, text));
}
