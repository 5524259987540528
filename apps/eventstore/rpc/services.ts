import type { Server } from '@grpc/grpc-js';
import { serializeReadAnswer } from '../wire/read-responses.js';
import { GossipService, ServerFeaturesService, StreamsService } from '../wire/stubs.js';
import { append } from './append.js';
import { batchAppend } from './batch-append.js';
import { deleteStream } from './delete.js';
import { readGossip } from './gossip.js';
import type { NodeContext } from './node-context.js';
import { read } from './read.js';
import { getSupportedMethods } from './server-features.js';
import { tombstoneStream } from './tombstone.js';

/** Adds all methods that the node answers. grpc-js answers every other service and method with UNIMPLEMENTED. */
export function addServices(server: Server, node: NodeContext): void {
  const streams = {
    ...StreamsService,
    read: { ...StreamsService.read, responseSerialize: serializeReadAnswer },
  };
  server.addService(streams, {
    read: read.bind(undefined, node),
    append: append.bind(undefined, node),
    batchAppend: batchAppend.bind(undefined, node),
    delete: deleteStream.bind(undefined, node),
    tombstone: tombstoneStream.bind(undefined, node),
  });
  server.addService(GossipService, { read: readGossip.bind(undefined, node) });
  server.addService(ServerFeaturesService, { getSupportedMethods });
}
