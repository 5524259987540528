/**
 * The generated protobuf messages and service definitions that ship with the official client. The generated files are CommonJS modules that
 * fill `exports` at run time, so only their default import works. This module exports the messages under names that are both value and
 * type.
 */
import googleAny from 'google-protobuf/google/protobuf/any_pb.js';
import googleEmpty from 'google-protobuf/google/protobuf/empty_pb.js';
import code from '@eventstore/db-client/generated/code_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type * as Gossip from '@eventstore/db-client/generated/gossip_pb.js';
import type * as Features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import type * as Shared from '@eventstore/db-client/generated/shared_pb.js';
import type * as StatusMessages from '@eventstore/db-client/generated/status_pb.js';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';

export const { StreamsService } = streamsService;
export const { GossipService } = gossipService;
export const { ServerFeaturesService } = featuresService;

export const { Any } = googleAny;
export const { Empty: GoogleEmpty } = googleEmpty;
export const { Code } = code;

/** The `google.rpc.Status` of a response, with its details. */
export const { Status: RpcStatus } = status;
export type RpcStatus = StatusMessages.Status;

export const {
  AccessDenied,
  AllStreamPosition,
  BadRequest,
  Empty,
  MaximumAppendSizeExceeded,
  StreamDeleted,
  StreamIdentifier,
  Timeout,
  Unknown,
  UUID,
  WrongExpectedVersion,
} = shared;
export type Empty = Shared.Empty;
export type StreamIdentifier = Shared.StreamIdentifier;
export type UUID = Shared.UUID;

export const { ClusterInfo, EndPoint, MemberInfo } = gossip;
export type ClusterInfo = Gossip.ClusterInfo;

export const { SupportedMethod, SupportedMethods } = features;
export type SupportedMethods = Features.SupportedMethods;

export const {
  AppendReq,
  AppendResp,
  BatchAppendReq,
  BatchAppendResp,
  DeleteReq,
  DeleteResp,
  ReadReq,
  ReadResp,
  TombstoneReq,
  TombstoneResp,
} = streams;
export type AppendReq = Streams.AppendReq;
export type AppendResp = Streams.AppendResp;
export type BatchAppendReq = Streams.BatchAppendReq;
export type BatchAppendResp = Streams.BatchAppendResp;
export type DeleteReq = Streams.DeleteReq;
export type DeleteResp = Streams.DeleteResp;
export type ReadReq = Streams.ReadReq;
export type ReadOptions = Streams.ReadReq.Options;
export type FilterOptions = Streams.ReadReq.Options.FilterOptions;
export type ReadResp = Streams.ReadResp;
export type TombstoneReq = Streams.TombstoneReq;
export type TombstoneResp = Streams.TombstoneResp;
