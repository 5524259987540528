import type { Message } from './messages.js';

/**
 * The text of a message, `{id, event, timestamp, data}`. It has the same bytes each time.
 *
 * @param message the message. Its `data` is JSON text, so that its numbers stay exact.
 */
export function envelopeOf(
  id: string,
  { event, timestamp, data }: Omit<Message, 'data'> & { data: string },
): string {
  const envelope = JSON.stringify({ id, event, timestamp });
  return `${envelope.slice(0, -1)},"data":${data}}`;
}
