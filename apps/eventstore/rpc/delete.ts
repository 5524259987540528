import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import type { ExpectedRevision } from '../streams/events.js';
import { CallError } from '../wire/errors.js';
import { parseWritableStreamIdentifier } from '../wire/identifiers.js';
import { parseExpectedRevision } from '../wire/proposed-events.js';
import { DeleteResp, type DeleteReq, type TombstoneReq } from '../wire/stubs.js';
import { callDeadline, toCallError } from './call.js';
import { writeDeadline, type NodeContext } from './node-context.js';
import { requireWritten } from './write-answers.js';

/** Streams.Delete: deletes softly. A later append restores the stream and continues its revisions. */
export function deleteStream(
  node: NodeContext,
  call: ServerUnaryCall<DeleteReq, DeleteResp>,
  callback: sendUnaryData<DeleteResp>,
): void {
  deleteOrTombstoneStream(node, 'delete', call).then(
    (position) => {
      const place = new DeleteResp.Position();
      place.setCommitPosition(position);
      place.setPreparePosition(position);
      const response = new DeleteResp();
      response.setPosition(place);
      callback(null, response);
    },
    (error: unknown) => callback(toCallError(node, error)),
  );
}

/**
 * Deletes a stream softly or for ever. The messages of Streams.Delete and Streams.Tombstone have the same fields. Resolves to the position
 * of the deletion's event.
 */
export async function deleteOrTombstoneStream(
  node: NodeContext,
  kind: 'delete' | 'tombstone',
  call: ServerUnaryCall<DeleteReq | TombstoneReq, unknown>,
): Promise<string> {
  const options = call.request.getOptions();
  if (!options) throw CallError.invalidArgument('The request has no options.');
  const stream = parseWritableStreamIdentifier(options.getStreamIdentifier());
  if (stream.isMetastream)
    throw CallError.invalidArgument(`"${stream.name}" holds metadata and goes with its stream.`);
  const expected: ExpectedRevision = parseExpectedRevision(
    options,
    options.hasRevision() ? options.getRevision() : undefined,
  );
  const deadline = writeDeadline(node, callDeadline(call));
  const outcome = await node.writer.write({ kind, stream, expected }, deadline);
  const { position } = requireWritten(outcome, { stream: stream.name, expected });
  return String(position);
}
