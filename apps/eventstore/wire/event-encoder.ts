/**
 * Encodes the message `ReadResp` with an event, the only message that a node sends millions of times. The generated code spends most of a
 * read's time on creating objects that are written only once. Writing the bytes of the message directly takes a small part of this time.
 * All messages except `ReadResp` with an event use the generated code.
 */
import type { LogEvent } from '../streams/events.js';
import { TOMBSTONE_REVISION, ContentType, EventMetadataKey } from './names.js';

/** Wire types of protobuf, in the low three bits of a tag. */
const VARINT = 0;
const BYTES = 2;
const tag = (field: number, wireType: number): number => (field << 3) | wireType;

/** Field numbers of the messages in streams.proto and shared.proto. */
const Tag = {
  response: { event: tag(1, BYTES) },
  readEvent: { event: tag(1, BYTES), link: tag(2, BYTES), commitPosition: tag(3, VARINT) },
  recorded: {
    id: tag(1, BYTES),
    streamIdentifier: tag(2, BYTES),
    revision: tag(3, VARINT),
    preparePosition: tag(4, VARINT),
    commitPosition: tag(5, VARINT),
    metadata: tag(6, BYTES),
    customMetadata: tag(7, BYTES),
    data: tag(8, BYTES),
  },
  uuid: { string: tag(2, BYTES) },
  streamIdentifier: { name: tag(3, BYTES) },
  mapEntry: { key: tag(1, BYTES), value: tag(2, BYTES) },
} as const;

const UUID_LENGTH = 36;
const UUID_MESSAGE_LENGTH = 2 + UUID_LENGTH;
const MAX_LONG_LENGTH = 9;

const metadataKey = (key: string): Buffer => Buffer.from([Tag.mapEntry.key, key.length, ...Buffer.from(key)]);
const TYPE_KEY = metadataKey(EventMetadataKey.type);
const CREATED_KEY = metadataKey(EventMetadataKey.created);
const contentTypeEntry = (contentType: string): Buffer => {
  const key = metadataKey(EventMetadataKey.contentType);
  const value = [Tag.mapEntry.value, contentType.length, ...Buffer.from(contentType)];
  return Buffer.from([Tag.recorded.metadata, key.length + value.length, ...key, ...value]);
};
const JSON_ENTRY = contentTypeEntry(ContentType.json);
const BINARY_ENTRY = contentTypeEntry(ContentType.binary);

/** Returns the bytes of a `ReadResp` with this event and the link that led to it. Ids are written as text. */
export function encodeEventResponse(event: LogEvent | undefined, link?: LogEvent): Buffer {
  const eventSizes = event && sizesOf(event);
  const linkSizes = link && sizesOf(link);
  const position = (link ?? event)?.position ?? 0;
  const readEventLength =
    (eventSizes ? lengthDelimited(eventSizes.message) : 0) +
    (linkSizes ? lengthDelimited(linkSizes.message) : 0) +
    1 +
    varintLength(position);
  const out = new Writer(lengthDelimited(readEventLength));
  out.head(Tag.response.event, readEventLength);
  if (event && eventSizes) {
    out.head(Tag.readEvent.event, eventSizes.message);
    writeRecorded(out, event, eventSizes);
  }
  if (link && linkSizes) {
    out.head(Tag.readEvent.link, linkSizes.message);
    writeRecorded(out, link, linkSizes);
  }
  out.number(Tag.readEvent.commitPosition, position);
  return out.buffer;
}

/** The lengths of the parts of a message, which are written before the parts. */
interface Sizes {
  readonly stream: number;
  readonly type: number;
  readonly created: string;
  readonly message: number;
}

function sizesOf(event: LogEvent): Sizes {
  const stream = Buffer.byteLength(event.stream);
  const type = Buffer.byteLength(event.type);
  // The protocol gives times in units of 100 ns.
  const created = `${event.createdMicros}0`;
  const message =
    lengthDelimited(UUID_MESSAGE_LENGTH) +
    lengthDelimited(lengthDelimited(stream)) +
    1 +
    (isTombstone(event) ? MAX_LONG_LENGTH : varintLength(event.revision)) +
    2 * (1 + varintLength(event.position)) +
    lengthDelimited(TYPE_KEY.length + lengthDelimited(type)) +
    (event.isJson ? JSON_ENTRY : BINARY_ENTRY).length +
    lengthDelimited(CREATED_KEY.length + lengthDelimited(created.length)) +
    (event.metadata.length > 0 ? lengthDelimited(event.metadata.length) : 0) +
    (event.data.length > 0 ? lengthDelimited(event.data.length) : 0);
  return { stream, type, created, message };
}

function writeRecorded(out: Writer, event: LogEvent, sizes: Sizes): void {
  out.head(Tag.recorded.id, UUID_MESSAGE_LENGTH);
  out.text(Tag.uuid.string, event.id, UUID_LENGTH);
  out.head(Tag.recorded.streamIdentifier, lengthDelimited(sizes.stream));
  out.text(Tag.streamIdentifier.name, event.stream, sizes.stream);
  if (isTombstone(event)) out.maxLong(Tag.recorded.revision);
  else out.number(Tag.recorded.revision, event.revision);
  out.number(Tag.recorded.preparePosition, event.position);
  out.number(Tag.recorded.commitPosition, event.position);
  out.head(Tag.recorded.metadata, TYPE_KEY.length + lengthDelimited(sizes.type));
  out.raw(TYPE_KEY);
  out.text(Tag.mapEntry.value, event.type, sizes.type);
  out.raw(event.isJson ? JSON_ENTRY : BINARY_ENTRY);
  out.head(Tag.recorded.metadata, CREATED_KEY.length + lengthDelimited(sizes.created.length));
  out.raw(CREATED_KEY);
  out.text(Tag.mapEntry.value, sizes.created, sizes.created.length);
  if (event.metadata.length > 0) out.bytes(Tag.recorded.customMetadata, event.metadata);
  if (event.data.length > 0) out.bytes(Tag.recorded.data, event.data);
}

const isTombstone = (event: LogEvent): boolean => event.revision >= Number(TOMBSTONE_REVISION);

/**
 * Returns the size in bytes of a field whose content has this length, including its tag and its length prefix. Every tag in this message is
 * one byte.
 */
const lengthDelimited = (length: number): number => 1 + varintLength(length) + length;

function varintLength(value: number): number {
  let length = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) length += 1;
  return length;
}

/** Writes fields into a buffer whose size was computed before. */
class Writer {
  readonly buffer: Buffer;
  #at = 0;

  constructor(size: number) {
    this.buffer = Buffer.allocUnsafe(size);
  }

  head(fieldTag: number, length: number): void {
    this.buffer[this.#at++] = fieldTag;
    this.#varint(length);
  }

  number(fieldTag: number, value: number): void {
    this.buffer[this.#at++] = fieldTag;
    this.#varint(value);
  }

  /** Writes 2^63 - 1, which a JavaScript number cannot hold. */
  maxLong(fieldTag: number): void {
    this.buffer[this.#at++] = fieldTag;
    this.buffer.fill(0xff, this.#at, this.#at + MAX_LONG_LENGTH - 1);
    this.#at += MAX_LONG_LENGTH - 1;
    this.buffer[this.#at++] = 0x7f;
  }

  text(fieldTag: number, text: string, length: number): void {
    this.head(fieldTag, length);
    this.buffer.write(text, this.#at, length, 'utf8');
    this.#at += length;
  }

  bytes(fieldTag: number, bytes: Uint8Array): void {
    this.head(fieldTag, bytes.length);
    this.raw(bytes);
  }

  raw(bytes: Uint8Array): void {
    this.buffer.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.buffer[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.buffer[this.#at++] = rest;
  }
}
