import type { JetStreamClient } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { CONTROL_CHARACTER } from '#libs/kernel/core';
import type { NatsClient } from '#libs/kernel/nats';
import type { RejectedMessagePart, UsageMessage } from './usage-message.js';
import { rejectedSubject, workspaceOf } from './usage-streams.js';

const REASON_LENGTH = 1_000;
/**
 * The number of bytes that are reserved for the headers of a message. The NATS server limits the size of a message including its headers.
 */
const HEADER_BYTES = 4_096;
/** Control characters, which a header cannot contain. */
const EVERY_CONTROL_CHARACTER = new RegExp(CONTROL_CHARACTER, 'g');

/**
 * Publishes rejected events, with headers that contain the reason. An event that is too large for a message is cut, and a header tells its
 * size.
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
    const told = headersOf(message, rejection);
    const bytes = Buffer.from(rejection.data);
    const limit = this.nats.maxPayload - HEADER_BYTES;
    if (bytes.length > limit) told.set('Countinghouse-Truncated', `${bytes.length} bytes`);
    await js.publish(rejectedSubject(workspaceOf(subject)), bytes.subarray(0, limit), {
      headers: told,
      msgID: `${seq}:${timestampNanos}:${index ?? 'all'}`,
    });
  }
}

function headersOf({ seq }: UsageMessage, { code, reason, field, index }: RejectedMessagePart): MsgHdrs {
  const told = headers();
  told.set('Countinghouse-Code', code);
  told.set('Countinghouse-Reason', plain(reason));
  if (field !== undefined) told.set('Countinghouse-Field', plain(field));
  if (index !== undefined) told.set('Countinghouse-Index', String(index));
  told.set('Countinghouse-Sequence', String(seq));
  return told;
}

/** Returns a client's text in a form that a header can contain. */
function plain(text: string): string {
  return text.replace(EVERY_CONTROL_CHARACTER, ' ').slice(0, REASON_LENGTH);
}
