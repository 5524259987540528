import type { EventEmitter } from 'node:events';
import type { Deadline, status } from '@grpc/grpc-js';
import { errorWithoutStack } from '#libs/kernel/system';
import { isPostgresUnavailable } from '../log/errors.js';
import { CallError } from '../wire/errors.js';
import type { NodeContext } from './node-context.js';

/** Returns the caller's deadline in milliseconds since the Unix epoch, or infinity if the call has no deadline. */
export function callDeadline(call: { getDeadline(): Deadline }): number {
  const deadline = call.getDeadline();
  return deadline instanceof Date ? deadline.getTime() : deadline;
}

/** Returns the gRPC error for a failed call. The client sees only error messages that were written for clients. */
export function toCallError(node: NodeContext, error: unknown): CallError {
  if (error instanceof CallError) return error;
  if (isPostgresUnavailable(error)) {
    node.logger.warn(errorWithoutStack(error), 'a call failed, since Postgres did not answer');
    return CallError.unavailable('Postgres does not answer the event store node.');
  }
  node.logger.error({ err: error }, 'a call failed');
  return CallError.internal();
}

/**
 * Makes a call that has no end fail with `code` when the node shuts down. The official client looks for a new node after UNAVAILABLE and
 * after CANCELLED.
 */
export function failWhenClosing(
  node: NodeContext,
  call: EventEmitter,
  code: status.UNAVAILABLE | status.CANCELLED,
): void {
  const fail = (): void => {
    call.emit('error', new CallError(code, 'The event store node is shutting down.'));
  };
  const forget = (): void => node.closing.removeEventListener('abort', fail);
  node.closing.addEventListener('abort', fail, { once: true });
  for (const end of ['cancelled', 'finish', 'close']) call.once(end, forget);
}
