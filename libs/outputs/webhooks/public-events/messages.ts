import type { Instant } from '#libs/kernel/core';
import type { Recorded, RecordedEvent } from '#libs/kernel/domain';
import type { WebhookEvent } from '../events.js';
import { exampleOf, isExampleEvent } from './examples.js';
import { TEST_EVENT } from './names.js';
import { isShown, type ResourceVersion } from './resources.js';
import { publicEventOf } from './public-event-of.js';

/** What an event of ours means to the world outside. */
export interface Message {
  /** One of the public events, or the one that is sent for a test. */
  event: string;
  /** Business time: the workspace's clock when it happened. */
  timestamp: Instant;
  /** What the event itself says. Made from it alone. */
  data: object;
  /** What the message is about, as it was then: it is shown in full beside what the event says. */
  resource?: ResourceVersion;
  /** To one endpoint only, under a delivery id that is chosen already. */
  to?: { webhookId: string; deliveryId: string };
}

/** What is sent to endpoints because of a recorded event; undefined if nothing is. */
export function messageOf(recorded: RecordedEvent): Message | undefined {
  const { type, data, metadata } = recorded as Recorded<WebhookEvent>;
  const timestamp = metadata.occurredAt;
  if (type === 'WebhookTestRequested') return { ...testOf(data), timestamp };
  const told = publicEventOf(recorded);
  if (!told) return undefined;
  const { alone, ...content } = told;
  const resource = alone ? undefined : versionAfter(recorded);
  return { ...content, ...(resource ? { resource } : {}), timestamp };
}

function testOf({
  webhookId,
  deliveryId,
  event,
}: Extract<WebhookEvent, { type: 'WebhookTestRequested' }>['data']): Omit<Message, 'timestamp'> {
  const to = { webhookId, deliveryId };
  if (event !== undefined && isExampleEvent(event)) return { event, data: exampleOf(event), to };
  const message = 'This is a test. The endpoint works if it answers with 2xx.';
  return { event: TEST_EVENT, data: { id: webhookId, message }, to };
}

/** What the event's stream is about, right after it; undefined if the API shows no such thing. */
function versionAfter({ stream, revision, metadata }: RecordedEvent): ResourceVersion | undefined {
  const [category, id] = stream.split(`-${metadata.workspaceId}.`);
  if (category === undefined || id === undefined || !isShown(category)) return undefined;
  return { category, id, revision: revision.toString() };
}
