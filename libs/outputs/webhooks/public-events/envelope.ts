import type { WebhookMessage } from './messages.js';

/**
 * The JSON text of a webhook message, `{id, event, timestamp, data}`. The same message always gives the same bytes.
 *
 * @param message the message. The `data` of the message is JSON text, so that numbers stay exact.
 */
export function envelopeOf(
  id: string,
  { event, timestamp, data }: Omit<WebhookMessage, 'data'> & { data: string },
): string {
  const envelope = JSON.stringify({ id, event, timestamp });
  return `${envelope.slice(0, -1)},"data":${data}}`;
}
