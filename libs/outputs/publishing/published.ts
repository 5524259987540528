import type { RecordedEvent } from '#libs/kernel/domain';
import { envelopeOf, webhookMessageOf, type MessageDataMaker } from '#libs/outputs/webhooks';

/** The message that is published to NATS for a public event. */
export interface PublishedMessage {
  /** `countinghouse.<workspace>.<event>`, such as `countinghouse.acc_01….invoice.paid`. */
  subject: string;
  /** The id of the recorded event. */
  id: string;
  /** The body of the event's webhook message, with the event's id. */
  body: string;
}

/** Tells whether an event is published: it is public, and not for one webhook only. */
export function isPublished(event: RecordedEvent): boolean {
  const message = webhookMessageOf(event);
  return message !== undefined && !message.to;
}

/** The message for a recorded event; undefined if the event is not public, or is for one webhook only. */
export async function toPublishedMessage(
  event: RecordedEvent,
  data: Pick<MessageDataMaker, 'makeData'>,
): Promise<PublishedMessage | undefined> {
  const message = webhookMessageOf(event);
  if (!message || message.to) return undefined;
  const { workspaceId } = event.metadata;
  const said = { ...message, data: JSON.stringify(message.data) };
  return {
    subject: `countinghouse.${workspaceId}.${message.event}`,
    id: event.id,
    body: envelopeOf(event.id, { ...said, data: await data.makeData(workspaceId, said) }),
  };
}

/** The body of a message whose full body is too large. Its `data` has only the ids of the resource and of the customer. */
export function bodyWithoutDetails({ body }: PublishedMessage): string {
  const { id, event, timestamp, data } = JSON.parse(body) as Record<string, unknown> & {
    data: { id?: string; customerId?: string };
  };
  return JSON.stringify({ id, event, timestamp, data: { id: data.id, customerId: data.customerId } });
}
