import { NotFound } from '#libs/kernel/core';
import type { IngestResult, UsageIngest } from '../ingest/usage-ingest.js';
import type { RejectionPublisher } from './rejection-publisher.js';
import {
  readMessage,
  addIdempotencyKeys,
  type RejectedMessagePart,
  type UsageMessage,
} from './usage-message.js';
import { workspaceOf } from './usage-streams.js';

/**
 * The sender of the events, as the usage log names it. The permissions of the NATS account determine who can send usage for a workspace.
 */
const SOURCE = 'nats';

/** Ingests messages of usage in the same way as `POST /v1/events` ingests request bodies. */
export class UsageMessageIngest {
  constructor(
    private readonly ingest: UsageIngest,
    private readonly rejections: Pick<RejectionPublisher, 'publish'>,
    private readonly batchLimit: number,
  ) {}

  /**
   * Ingests a message, and resolves when every event of the message is on disk or published as rejected. The promise rejects if an event
   * cannot be stored or published now. If the message is received again later, no event is counted twice.
   */
  async receive(message: UsageMessage): Promise<void> {
    const rejected = await this.store(message);
    if (rejected.length > 0) await this.rejections.publish(message, rejected);
  }

  private async store(message: UsageMessage): Promise<RejectedMessagePart[]> {
    const events = readMessage(message, this.batchLimit);
    if (!Array.isArray(events)) return [events];
    let result: IngestResult;
    try {
      result = await this.ingest.ingest(
        workspaceOf(message.subject),
        addIdempotencyKeys(events, message),
        SOURCE,
      );
    } catch (error) {
      if (!(error instanceof NotFound)) throw error;
      const reason = `There is no workspace "${workspaceOf(message.subject)}"`;
      return [{ code: error.code, reason, data: message.data }];
    }
    return result.rejected.map(({ code, reason, field, index }) => ({
      code,
      reason,
      ...(field === undefined ? {} : { field }),
      index,
      data: JSON.stringify(events[index]) ?? '',
    }));
  }
}
