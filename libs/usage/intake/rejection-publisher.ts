import type { JetStreamClient } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { CONTROL_CHARACTER } from '#libs/kernel/core';
import { publishLargestForm, type NatsClient } from '#libs/kernel/nats';
import type { RejectedMessagePart, UsageMessage } from './usage-message.js';
import { rejectedSubject, workspaceOf } from './usage-streams.js';

const REASON_LENGTH = 1_000;
/** The length of the reason in a message that the stream would not take otherwise. */
const SHORT_REASON_LENGTH = 100;
/**
 * The number of bytes that are reserved for the headers of a message. The NATS server limits the size of a message including its headers.
 */
const HEADER_BYTES = 4_096;
/** Control characters, which a header cannot contain. */
const EVERY_CONTROL_CHARACTER = new RegExp(CONTROL_CHARACTER, 'g');

/**
 * Publishes rejected events, with headers that contain the reason. An event that is too large for a message is cut, and a header tells its
 * size. If the stream does not take the event, its message has no body and a short reason.
 */
export class RejectionPublisher {
  constructor(private readonly nats: Pick<NatsClient, 'requireJetStream' | 'maxPayload'>) {}

  /**
   * Resolves when JetStream has stored the messages. Publishing the same rejections again changes nothing, as long as JetStream remembers
   * their message ids.
   */
  async publish(message: UsageMessage, rejections: readonly RejectedMessagePart[]): Promise<void> {
    const js = this.nats.requireJetStream();
    await Promise.all(rejections.map((rejection) => this.send(js, message, rejection)));
  }

  private async send(
    js: JetStreamClient,
    message: UsageMessage,
    rejection: RejectedMessagePart,
  ): Promise<void> {
    const { seq, timestampNanos, subject } = message;
    const { index } = rejection;
    const bytes = Buffer.from(rejection.data);
    const maxBytes = this.nats.maxPayload - HEADER_BYTES;
    const form = (body: Uint8Array, reasonLength: number) => {
      const told = headersOf(message, rejection, reasonLength);
      if (body.length < bytes.length) told.set('Countinghouse-Truncated', `${bytes.length} bytes`);
      return { body, headers: told };
    };
    const msgID = `${seq}:${timestampNanos}:${index ?? 'all'}`;
    await publishLargestForm(js, { subject: rejectedSubject(workspaceOf(subject)), msgID, maxBytes }, [
      () => form(bytes.subarray(0, maxBytes), REASON_LENGTH),
      // A part of the event might lack the customer's id, so an erasure would not find it.
      () => form(bytes.subarray(0, 0), SHORT_REASON_LENGTH),
    ]);
  }
}

function headersOf(
  { seq }: UsageMessage,
  { code, reason, field, index }: RejectedMessagePart,
  reasonLength: number,
): MsgHdrs {
  const told = headers();
  told.set('Countinghouse-Code', code);
  told.set('Countinghouse-Reason', plain(reason, reasonLength));
  if (field !== undefined) told.set('Countinghouse-Field', plain(field, reasonLength));
  if (index !== undefined) told.set('Countinghouse-Index', String(index));
  told.set('Countinghouse-Sequence', String(seq));
  return told;
}

/** Returns the beginning of a client's text in a form that a header can contain. */
function plain(text: string, length: number): string {
  return text.replace(EVERY_CONTROL_CHARACTER, ' ').slice(0, length);
}
