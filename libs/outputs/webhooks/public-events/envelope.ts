import type { Message } from './messages.js';

/**
 * A message as it is sent: the text of `{id, event, timestamp, data}`, the same bytes each time.
 *
 * @param message with `data` as JSON text, so that its numbers stay exact
 */
export function envelopeOf(
  id: string,
  { event, timestamp, data }: Omit<Message, 'data'> & { data: string },
): string {
  const envelope = JSON.stringify({ id, event, timestamp });
  return `${envelope.slice(0, -1)},"data":${data}}`;
}
