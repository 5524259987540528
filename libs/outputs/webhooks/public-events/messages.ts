import type { Instant } from '#libs/kernel/core';
import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import type { WebhookEvent } from '../events.js';
import { exampleDataOf, hasExample } from './examples.js';
import { TEST_EVENT } from './names.js';
import { isCategoryInMessages, type ResourceVersion } from './resources.js';
import { webhookContentOf } from './webhook-content-of.js';

/** The public message for one of our domain events. */
export interface WebhookMessage {
  /** The name of a public event, or of the test event. */
  event: string;
  /** The time of the event by the workspace's clock. */
  timestamp: Instant;
  /** The fields that come from the event alone, without the resource. */
  data: object;
  /**
   * Refers to the resource right after the command of the event. The message that is sent contains this complete resource and the fields of
   * the event.
   */
  resource?: ResourceVersion;
  /** The only endpoint that gets the message, and the id of the delivery to it. */
  to?: { webhookId: string; deliveryId: string };
}

/** The webhook message for a stored event; undefined if no endpoint gets a message. */
export function webhookMessageOf(recorded: RecordedEvent): WebhookMessage | undefined {
  const { type, data, metadata } = recorded as Recorded<WebhookEvent>;
  const timestamp = metadata.occurredAt;
  if (type === 'WebhookTestRequested') return { ...testOf(data), timestamp };
  const told = webhookContentOf(recorded);
  if (!told) return undefined;
  const { withoutResource, ...content } = told;
  const resource = withoutResource ? undefined : versionAfter(recorded);
  return { ...content, ...(resource ? { resource } : {}), timestamp };
}

function testOf({
  webhookId,
  deliveryId,
  event,
}: Extract<WebhookEvent, { type: 'WebhookTestRequested' }>['data']): Omit<WebhookMessage, 'timestamp'> {
  const to = { webhookId, deliveryId };
  if (event !== undefined && hasExample(event)) return { event, data: exampleDataOf(event), to };
  const message = 'This is a test. The endpoint works if it answers with 2xx.';
  return { event: TEST_EVENT, data: { id: webhookId, message }, to };
}

/** A reference to the resource's state right after the command of the event. Undefined if messages do not show resources of this kind. */
function versionAfter({ stream, revision, metadata }: RecordedEvent): ResourceVersion | undefined {
  const [category, id] = stream.split(`-${metadata.workspaceId}.`);
  if (category === undefined || id === undefined || !isCategoryInMessages(category)) return undefined;
  return { category, id, revision: revision.toString() };
}
