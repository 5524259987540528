import type { Logger } from '#libs/kernel/system';
import type { LogReader } from '../log/log-reader.js';
import type { HeadReader } from '../log/head-reader.js';
import type { Tail } from '../subscriptions/tail.js';
import type { Writer } from '../writer/writer.js';

/** The services that the calls use. */
export interface NodeContext {
  readonly writer: Writer;
  readonly reader: LogReader;
  readonly heads: HeadReader;
  readonly tail: Tail;
  readonly nowMillis: () => number;
  readonly logger: Logger;
  /** Most bytes of one append. */
  readonly maxAppendSize: number;
  /** Longest time that a write may take, whatever its caller allows. */
  readonly writeTimeoutMillis: number;
  /** Aborted when the node begins to shut down. */
  readonly closing: AbortSignal;
  readonly instanceId: string;
  readonly host: string;
  /** Known once the node listens. */
  readonly port: () => number;
}

/** When a write must be done, given its caller's deadline, in milliseconds since the Unix epoch. */
export function writeDeadline(node: NodeContext, requested: number): number {
  return Math.min(requested, node.nowMillis() + node.writeTimeoutMillis);
}
