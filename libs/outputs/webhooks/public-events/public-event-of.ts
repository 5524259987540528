import type { DomainEvent } from '#libs/kernel/domain';
import { webhookEvents, type WebhookContent } from '#libs/manifest';

/** What an event tells the world outside; undefined if it stays among ourselves. */
export function publicEventOf({ type, data }: DomainEvent): WebhookContent | undefined {
  return messages().get(type)?.(data);
}

let made: ReadonlyMap<string, (data: object) => WebhookContent | undefined> | undefined;

/** The messages of all contexts, by the type of the event. */
function messages(): NonNullable<typeof made> {
  return (made ??= new Map(
    webhookEvents().flatMap((one) => Object.entries(one.messages).map(([type, message]) => [type, message!])),
  ));
}
