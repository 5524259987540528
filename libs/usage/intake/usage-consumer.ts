import {
  JetStreamApiCodes,
  JetStreamApiError,
  type ConsumerMessages,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { AppError } from '#libs/kernel/core';
import { backoffMillis, repeatWork, type Logger } from '#libs/kernel/system';
import { streamManagerOf, ensureStream, type NatsClient } from '#libs/kernel/nats';
import { natsUsageMessages } from '../metrics.js';
import type { UsageMessageIngest } from './usage-message-ingest.js';
import { REJECTED_STREAM, USAGE_CONSUMER, USAGE_STREAM } from './usage-streams.js';

/**
 * The maximum number of usage messages that a process ingests at the same time. Messages that wait for a commit are included. The events of
 * these messages share the commits of the usage log.
 */
const AT_ONCE = 256;
const RETRY_MILLIS = 1_000;
const REDELIVERY = { firstMillis: 1_000, maxMillis: 60_000 };

/**
 * Ingests usage from JetStream. Any number of processes share one durable consumer. Each process acknowledges a message when its events are
 * on disk, and gives a message back to JetStream if its events cannot be stored now. The consumer stops only when its signal is aborted.
 */
export class UsageConsumer {
  private readonly running = new Set<Promise<void>>();
  /** `onRoom` is called when one of the running tasks ends. */
  private onRoom: () => void = () => undefined;
  private failing = false;

  constructor(
    private readonly nats: NatsClient,
    private readonly intake: UsageMessageIngest,
    private readonly logger: Logger,
  ) {}

  /** Ingests messages until `signal` is aborted, and then finishes the messages in progress. */
  async run(signal: AbortSignal): Promise<void> {
    const consume = async (): Promise<void> => {
      await this.nats.waitForConnection(signal);
      if (!signal.aborted) await this.consume(await this.messages(), signal);
    };
    await repeatWork(signal, RETRY_MILLIS, consume, ({ message }) =>
      this.logger.warn({ error: message }, 'usage from NATS was interrupted, trying again'),
    );
  }

  /** Returns the messages of the shared consumer. Creates the stream and the consumer if they are missing. */
  private async messages(): Promise<ConsumerMessages> {
    const js = this.nats.requireJetStream();
    const manager = await streamManagerOf(js);
    await ensureStream(manager, REJECTED_STREAM);
    const stream = await ensureStream(manager, USAGE_STREAM);
    await makeConsumer(manager, stream);
    const consumer = await js.consumers.get(stream, USAGE_CONSUMER.durable_name);
    return consumer.consume({ max_messages: AT_ONCE, abort_on_missing_resource: true });
  }

  private async consume(messages: ConsumerMessages, signal: AbortSignal): Promise<void> {
    const stop = (): void => messages.stop();
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) return stop();
      for await (const message of messages) {
        this.start(message);
        if (this.running.size >= AT_ONCE) await new Promise<void>((resolve) => (this.onRoom = resolve));
      }
    } finally {
      signal.removeEventListener('abort', stop);
      await Promise.all(this.running);
    }
  }

  private start(message: JsMsg): void {
    const work = this.take(message).finally(() => {
      this.running.delete(work);
      this.onRoom();
    });
    this.running.add(work);
  }

  /** Never rejects. A message that fails is delivered again, to this process or another one. */
  private async take(message: JsMsg): Promise<void> {
    try {
      await this.intake.receive(message);
    } catch (error) {
      natsUsageMessages.inc({ outcome: 'put_back' });
      this.tell(error as Error, message);
      const delayMillis = backoffMillis(message.info.deliveryCount - 1, REDELIVERY);
      return answer(() => message.nak(delayMillis));
    }
    natsUsageMessages.inc({ outcome: 'taken' });
    this.failing = false;
    answer(() => message.ack());
  }

  /** Logs a database outage once, and not for each message. An internal error is logged for each message. */
  private tell(error: Error, { subject, seq }: JsMsg): void {
    const told = { subject, seq };
    if (!(error instanceof AppError))
      this.logger.error({ ...told, err: error }, 'usage could not be ingested');
    else if (!this.failing)
      this.logger.warn({ ...told, error: error.message }, 'usage cannot be ingested now, trying again');
    this.failing = true;
  }
}

async function makeConsumer(manager: JetStreamManager, stream: string): Promise<void> {
  try {
    await manager.consumers.info(stream, USAGE_CONSUMER.durable_name);
  } catch (error) {
    if (!(error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound))
      throw error;
    await manager.consumers.add(stream, USAGE_CONSUMER);
  }
}

/**
 * Sends a response to JetStream. If the connection to NATS is lost, the response is lost too. After a lost response, the message is
 * delivered and answered again.
 */
function answer(send: () => void): void {
  try {
    send();
  } catch {
    // The connection is closed.
  }
}
