import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { TombstoneResp, type TombstoneReq } from '../wire/stubs.js';
import { toCallError } from './call.js';
import { deleteOrTombstoneStream } from './delete.js';
import type { NodeContext } from './node-context.js';

/** Streams.Tombstone: closes the stream for ever. The name of a closed stream cannot be used again. */
export function tombstoneStream(
  node: NodeContext,
  call: ServerUnaryCall<TombstoneReq, TombstoneResp>,
  callback: sendUnaryData<TombstoneResp>,
): void {
  deleteOrTombstoneStream(node, 'tombstone', call).then(
    (position) => {
      const place = new TombstoneResp.Position();
      place.setCommitPosition(position);
      place.setPreparePosition(position);
      const response = new TombstoneResp();
      response.setPosition(place);
      callback(null, response);
    },
    (error: unknown) => callback(toCallError(node, error)),
  );
}
