import { JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import type { MsgHdrs } from '@nats-io/transport-node';

/** JetStream's error code for a message that is larger than the `max_msg_size` of the stream (`server/errors.json`). */
const MESSAGE_TOO_LARGE = 10_054;

/** The body and the headers of a message. */
export interface MessageForm {
  readonly body: string | Uint8Array;
  readonly headers?: MsgHdrs;
}

/**
 * Publishes a message in the first of its forms that fits: the body has at most `maxBytes` bytes, and the stream takes the message. The
 * last form is sent whatever its size. Returns the index of the published form.
 */
export async function publishLargestForm(
  js: JetStreamClient,
  { subject, msgID, maxBytes }: { subject: string; msgID: string; maxBytes: number },
  forms: readonly (() => MessageForm)[],
): Promise<number> {
  for (const [index, form] of forms.entries()) {
    const isLast = index === forms.length - 1;
    const { body, headers } = form();
    if (!isLast && Buffer.byteLength(body) > maxBytes) continue;
    try {
      await js.publish(subject, body, { msgID, ...(headers ? { headers } : {}) });
      return index;
    } catch (error) {
      if (isLast || !isTooLarge(error)) throw error;
    }
  }
  throw new Error('A message needs a form');
}

function isTooLarge(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === MESSAGE_TOO_LARGE;
}
