import {
  MaxAppendSizeExceededError,
  NO_STREAM,
  WrongExpectedVersionError,
  type AppendResult,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { InvalidRequest, Unavailable } from '#libs/kernel/core';
import type { DomainEvent, Position } from '#libs/kernel/domain';
import { monotonicSeconds } from '#libs/kernel/system';
import type { EventCodec } from './codec.js';
import type { CommandContext } from './context.js';
import { appendDurations, appendedEvents, appends } from './metrics.js';
import { toEventStoreUnavailable } from './unavailable.js';
import { recordWrite } from './write-tracker.js';

/** Appends the events of commands to streams, and measures the appends. */
export class StreamWriter {
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly codec: EventCodec,
  ) {}

  /**
   * Appends events if the stream's newest event has this revision; -1 means that the stream does not exist. Returns the position of the
   * last event, `conflict` if the stream has another revision, or the error if the event store does not answer. If the event store does not
   * answer, the events may have been appended. Throws InvalidRequest (`change_too_large`) if the events are too large for the event store.
   */
  async append(
    stream: string,
    revision: bigint,
    events: DomainEvent[],
    context: CommandContext,
  ): Promise<Position | 'conflict' | Unavailable> {
    const encoded = await this.codec.encode(events, stream, context);
    let result: AppendResult;
    const began = monotonicSeconds();
    try {
      result = await this.client.appendToStream(stream, encoded, {
        expectedRevision: revision < 0n ? NO_STREAM : revision,
      });
    } catch (error) {
      const outcome =
        error instanceof WrongExpectedVersionError ? 'conflict' : toEventStoreUnavailable(error);
      appends.inc({ outcome: outcome instanceof Unavailable ? 'unknown' : (outcome ?? 'failed') });
      if (error instanceof MaxAppendSizeExceededError) throw changeTooLarge();
      if (outcome === undefined) throw error;
      return outcome;
    }
    appends.inc({ outcome: 'appended' });
    appendedEvents.inc(events.length);
    appendDurations.observe(monotonicSeconds() - began);
    const position = result.position?.commit ?? 0n;
    recordWrite(position);
    return position;
  }
}

function changeTooLarge(): InvalidRequest {
  return new InvalidRequest(
    'change_too_large',
    'The change is too large to be stored at once; send less data, or make several smaller changes',
  );
}
