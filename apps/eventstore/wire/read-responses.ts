/** The response messages of a read or a subscription. */
import { revisionText } from '../log/rows.js';
import type { LogEvent } from '../streams/events.js';
import { encodeEventResponse } from './event-encoder.js';
import { uuidMessage } from './identifiers.js';
import { ContentType, EventMetadataKey } from './names.js';
import { Empty, ReadResp, StreamIdentifier } from './stubs.js';

/** An event, and the link that led to it if the client wants links to be followed. */
export interface ResolvedEvent {
  /** `undefined` if a link leads to an event that does not exist. */
  readonly event: LogEvent | undefined;
  readonly link?: LogEvent;
}

/** The form in which a client wants to receive events. */
export interface EventEncoding {
  /** Tells whether UUIDs are sent as two 64-bit numbers instead of text. */
  readonly usesStructuredUuids: boolean;
}

/** A response to a read: a message, or the bytes of a message with an event. */
export type ReadAnswer = ReadResp | Buffer;

/** Returns the response with an event and its link: as bytes if ids are sent as text, otherwise as a message. */
export function eventResponse(resolved: ResolvedEvent, encoding: EventEncoding): ReadAnswer {
  return encoding.usesStructuredUuids
    ? eventResponseMessage(resolved, encoding)
    : encodeEventResponse(resolved.event, resolved.link);
}

/** Returns the bytes of a response to a read. The library grpc-js calls this function. */
export function serializeReadAnswer(answer: ReadAnswer): Buffer {
  return Buffer.isBuffer(answer) ? answer : Buffer.from(answer.serializeBinary());
}

/** Returns the message of an event. The generated code creates the message, since it supports both forms of UUIDs. */
export function eventResponseMessage({ event, link }: ResolvedEvent, encoding: EventEncoding): ReadResp {
  const readEvent = new ReadResp.ReadEvent();
  if (event) readEvent.setEvent(recordedEventMessage(event, encoding));
  if (link) readEvent.setLink(recordedEventMessage(link, encoding));
  const original = link ?? event;
  if (original) readEvent.setCommitPosition(original.position.toString());
  else readEvent.setNoPosition(new Empty());
  const response = new ReadResp();
  response.setEvent(readEvent);
  return response;
}

function recordedEventMessage(
  event: LogEvent,
  { usesStructuredUuids: structuredUuids }: EventEncoding,
): InstanceType<typeof ReadResp.ReadEvent.RecordedEvent> {
  const position = event.position.toString();
  const message = new ReadResp.ReadEvent.RecordedEvent();
  message.setId(uuidMessage(event.id, structuredUuids));
  message.setStreamIdentifier(streamIdentifier(event.stream));
  message.setStreamRevision(revisionText(event.revision));
  message.setCommitPosition(position);
  message.setPreparePosition(position);
  message
    .getMetadataMap()
    .set(EventMetadataKey.type, event.type)
    .set(EventMetadataKey.contentType, event.isJson ? ContentType.json : ContentType.binary)
    // The protocol gives times in units of 100 ns.
    .set(EventMetadataKey.created, `${event.createdMicros}0`);
  message.setCustomMetadata(event.metadata);
  message.setData(event.data);
  return message;
}

export function confirmationResponse(subscriptionId: string): ReadResp {
  const confirmation = new ReadResp.SubscriptionConfirmation();
  confirmation.setSubscriptionId(subscriptionId);
  const response = new ReadResp();
  response.setConfirmation(confirmation);
  return response;
}

export function checkpointResponse(position: number): ReadResp {
  const checkpoint = new ReadResp.Checkpoint();
  checkpoint.setCommitPosition(position.toString());
  checkpoint.setPreparePosition(position.toString());
  const response = new ReadResp();
  response.setCheckpoint(checkpoint);
  return response;
}

export function caughtUpResponse(): ReadResp {
  const response = new ReadResp();
  response.setCaughtUp(new ReadResp.CaughtUp());
  return response;
}

export function streamNotFoundResponse(stream: string): ReadResp {
  const notFound = new ReadResp.StreamNotFound();
  notFound.setStreamIdentifier(streamIdentifier(stream));
  const response = new ReadResp();
  response.setStreamNotFound(notFound);
  return response;
}

export function streamIdentifier(name: string): StreamIdentifier {
  const identifier = new StreamIdentifier();
  identifier.setStreamName(Buffer.from(name));
  return identifier;
}
