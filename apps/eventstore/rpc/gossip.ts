import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import { uuidMessage } from '../wire/identifiers.js';
import { ClusterInfo, EndPoint, MemberInfo, type Empty } from '../wire/stubs.js';
import type { NodeContext } from './node-context.js';

/** The number of ticks of 100 ns from year 1 to 1970. Timestamps of the gossip protocol count ticks from year 1. */
const EPOCH_TICKS = 621_355_968_000_000_000n;

/** Gossip.Read: describes a cluster of one node, which is the leader. */
export function readGossip(
  node: NodeContext,
  _call: ServerUnaryCall<Empty, ClusterInfo>,
  callback: sendUnaryData<ClusterInfo>,
): void {
  const endPoint = new EndPoint();
  endPoint.setAddress(node.host);
  endPoint.setPort(node.port());
  const member = new MemberInfo();
  member.setInstanceId(uuidMessage(node.instanceId, false));
  member.setTimeStamp((BigInt(node.nowMillis()) * 10_000n + EPOCH_TICKS).toString());
  member.setState(MemberInfo.VNodeState.LEADER);
  member.setIsAlive(true);
  member.setHttpEndPoint(endPoint);
  const info = new ClusterInfo();
  info.addMembers(member);
  callback(null, info);
}
