import type { DomainEvent } from '#libs/kernel/domain';
import { webhookEvents, type WebhookContent } from '#libs/manifest';

/** The public content of a domain event; undefined if the event is internal. */
export function webhookContentOf({ type, data }: DomainEvent): WebhookContent | undefined {
  return messages().get(type)?.(data);
}

let made: ReadonlyMap<string, (data: object) => WebhookContent | undefined> | undefined;

/** The functions of all modules that make messages, by the type of the domain event. */
function messages(): NonNullable<typeof made> {
  return (made ??= new Map(
    webhookEvents().flatMap((one) => Object.entries(one.messages).map(([type, message]) => [type, message!])),
  ));
}
