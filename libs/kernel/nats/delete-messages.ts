import type { JetStreamManager, MsgRequest } from '@nats-io/jetstream';

/**
 * Deletes the messages of a subject for which `isMeant` returns true, and overwrites their data on JetStream's disk. The function looks at
 * each message of the subject that the stream keeps.
 */
export async function deleteMessages(
  manager: JetStreamManager,
  stream: string,
  subject: string,
  isMeant: (text: string) => boolean,
): Promise<void> {
  for await (const message of keptMessages(manager, stream, subject))
    if (isMeant(message.text)) await manager.streams.deleteMessage(stream, message.seq, true);
}

/** The messages of a subject that a stream keeps, in order. */
async function* keptMessages(
  manager: JetStreamManager,
  stream: string,
  subject: string,
): AsyncGenerator<{ seq: number; text: string }> {
  for (let seq = 1; ; seq++) {
    // The server finds the next message of a subject. The type of the client lacks the field.
    const request = { seq, next_by_subj: subject } as MsgRequest;
    const message = await manager.streams.getMessage(stream, request);
    if (!message) return;
    seq = message.seq;
    yield { seq, text: message.string() };
  }
}
