import type { Logger } from '#libs/kernel/system';
import type { LogReader } from '../log/log-reader.js';
import type { StreamHeadReader } from '../log/stream-head-reader.js';
import type { Tail } from '../subscriptions/tail.js';
import type { QueuedLogWriter } from '../writer/queued-log-writer.js';

/** The services of the node that the gRPC calls use. */
export interface NodeContext {
  readonly writer: QueuedLogWriter;
  readonly reader: LogReader;
  readonly heads: StreamHeadReader;
  readonly tail: Tail;
  readonly nowMillis: () => number;
  readonly logger: Logger;
  /** The maximum bytes of one append. */
  readonly maxAppendSize: number;
  /** The maximum time of a write, even if its caller allows more. */
  readonly writeTimeoutMillis: number;
  /** The signal is aborted when the node begins to shut down. */
  readonly closing: AbortSignal;
  /** The id of the log. All nodes that serve the same log have the same id. */
  readonly instanceId: string;
  readonly host: string;
  /** Returns the port, which is known when the node listens. */
  readonly port: () => number;
}

/**
 * Returns the latest time for a write to end, given the deadline of its caller. The returned time and `requested` are in milliseconds since
 * the Unix epoch.
 */
export function writeDeadline(node: NodeContext, requested: number): number {
  return Math.min(requested, node.nowMillis() + node.writeTimeoutMillis);
}
