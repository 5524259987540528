import { setTimeout as delay } from 'node:timers/promises';
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type ConsumerMessages,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { AppError } from '#libs/kernel/core';
import { backoffMillis, type Logger } from '#libs/kernel/system';
import { managerOf, streamFor, type NatsClient } from '#libs/kernel/nats';
import { intakeMessages } from '../metrics.js';
import type { UsageIntake } from './usage-intake.js';
import { REJECTED_STREAM, USAGE_CONSUMER, USAGE_STREAM } from './usage-streams.js';

/** Messages that are taken in side by side, whose events share the log's commits, and those that wait for a place. */
const AT_ONCE = 256;
const RETRY_MILLIS = 1_000;
const REDELIVERY = { firstMillis: 1_000, maxMillis: 60_000 };

/**
 * Takes usage from JetStream. Any number of processes share one durable consumer; each acknowledges a message when its events are on disk,
 * and hands back what cannot be stored now. It ends only when it is told to.
 */
export class UsageConsumer {
  private readonly running = new Set<Promise<void>>();
  /** Called when one of the running tasks has ended. */
  private onRoom: () => void = () => undefined;
  private failing = false;

  constructor(
    private readonly nats: NatsClient,
    private readonly intake: UsageIntake,
    private readonly logger: Logger,
  ) {}

  /** Runs until `signal` is aborted, and then finishes the messages in progress. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.nats.connected(signal);
      if (signal.aborted) return;
      try {
        await this.consume(await this.messages(), signal);
      } catch (error) {
        this.logger.warn(
          { error: (error as Error).message },
          'usage from NATS was interrupted, trying again',
        );
      }
      await delay(RETRY_MILLIS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** The shared consumer's messages, with stream and consumer made if they are missing. */
  private async messages(): Promise<ConsumerMessages> {
    const js = this.nats.jetStream();
    const manager = await managerOf(js);
    await streamFor(manager, REJECTED_STREAM);
    const stream = await streamFor(manager, USAGE_STREAM);
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

  /** Never rejects: a message that fails comes again, to this process or another. */
  private async take(message: JsMsg): Promise<void> {
    try {
      await this.intake.take(message);
    } catch (error) {
      intakeMessages.inc({ outcome: 'put_back' });
      this.tell(error as Error, message);
      const delayMillis = backoffMillis(message.info.deliveryCount - 1, REDELIVERY);
      return answer(() => message.nak(delayMillis));
    }
    intakeMessages.inc({ outcome: 'taken' });
    this.failing = false;
    answer(() => message.ack());
  }

  /** A database outage is logged once, not for each message. An internal error is logged each time. */
  private tell(error: Error, { subject, seq }: JsMsg): void {
    const told = { subject, seq };
    if (!(error instanceof AppError))
      this.logger.error({ ...told, err: error }, 'usage could not be taken in');
    else if (!this.failing)
      this.logger.warn({ ...told, error: error.message }, 'usage cannot be taken in now, trying again');
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

/** Answers that get lost, with the connection, are given again when the message comes again. */
function answer(send: () => void): void {
  try {
    send();
  } catch {
    // The connection is closed.
  }
}
