// The least that could answer the official client's appends: the same gRPC server and messages as the embedded node,
// and nothing kept. What it takes is what client, gRPC and protobuf cost.
//
//   node baseline-node.mjs    prints its port
import { Server, ServerCredentials } from '@grpc/grpc-js';
import serverFeatures from '@eventstore/db-client/generated/serverfeatures_pb.js';
import serverFeaturesService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';

const { StreamsService } = streamsService;
const { ServerFeaturesService } = serverFeaturesService;

let position = 0;

function batchAppend(call) {
  const open = new Map();
  call.on('data', (request) => {
    const id = request.getCorrelationId();
    const key = Buffer.from(id.serializeBinary()).toString('base64');
    const append = open.get(key) ?? { stream: request.getOptions().getStreamIdentifier(), events: 0 };
    append.events += request.getProposedMessagesList().length;
    open.set(key, append);
    if (!request.getIsFinal()) return;
    open.delete(key);
    position += append.events;
    const at = new shared.AllStreamPosition();
    at.setCommitPosition(String(position));
    at.setPreparePosition(String(position));
    const success = new streams.BatchAppendResp.Success();
    success.setCurrentRevision(String(append.events - 1));
    success.setPosition(at);
    const answer = new streams.BatchAppendResp();
    answer.setCorrelationId(id);
    answer.setStreamIdentifier(append.stream);
    answer.setSuccess(success);
    call.write(answer);
  });
  call.on('end', () => call.end());
}

function getSupportedMethods(_call, callback) {
  const methods = new serverFeatures.SupportedMethods();
  methods.setEventStoreServerVersion('22.10.0');
  for (const { path } of Object.values(StreamsService)) {
    const [service, method] = path.slice(1).toLowerCase().split('/');
    const supported = new serverFeatures.SupportedMethod();
    supported.setServiceName(service);
    supported.setMethodName(method);
    methods.addMethods(supported);
  }
  callback(null, methods);
}

const server = new Server();
server.addService(StreamsService, { batchAppend });
server.addService(ServerFeaturesService, { getSupportedMethods });
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error;
  process.stdout.write(`${port}\n`);
});
process.once('disconnect', () => process.exit(0));
