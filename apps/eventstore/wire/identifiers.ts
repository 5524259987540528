/** Converts names and numbers between the messages of the protocol and the node's own types. */
import { CallError } from './errors.js';
import { ALL_STREAM } from './names.js';
import { streamNameProblem, parseStreamName, type ParsedStreamName } from '../streams/stream-name.js';
import { UUID, type StreamIdentifier } from './stubs.js';

const UUID_TEXT = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Returns the stream that a request names.
 *
 * @throws CallError if the request names no stream or an invalid one
 */
export function parseStreamIdentifier(identifier: StreamIdentifier | undefined): ParsedStreamName {
  const name = identifier ? Buffer.from(identifier.getStreamName_asU8()).toString('utf8') : '';
  const problem = streamNameProblem(name);
  if (problem !== undefined) throw CallError.invalidArgument(problem);
  return parseStreamName(name);
}

/**
 * Returns the stream that a request writes to or deletes.
 *
 * @throws CallError in the cases of {@link parseStreamIdentifier}, and for `$all`. Clients cannot write to `$all` in EventStoreDB either
 * (`LegacyStreamPermissionAssertion`), but they can write to its metastream `$$$all`.
 */
export function parseWritableStreamIdentifier(identifier: StreamIdentifier | undefined): ParsedStreamName {
  const stream = parseStreamIdentifier(identifier);
  if (stream.name === ALL_STREAM)
    throw CallError.accessDenied(
      `${ALL_STREAM} is the whole log; nothing is written to it or deleted from it.`,
    );
  return stream;
}

/**
 * Returns a UUID as lower-case text, from either form of the protocol.
 *
 * @throws CallError if the UUID is missing, invalid or nil
 */
export function parseUuid(uuid: UUID | undefined): string {
  const structured = uuid?.getStructured();
  const text = structured
    ? uuidFromBits(structured.getMostSignificantBits(), structured.getLeastSignificantBits())
    : (uuid?.getString() ?? '').toLowerCase();
  if (!UUID_TEXT.test(text) || text === NIL_UUID)
    throw CallError.invalidArgument(`"${text}" is not an id; a UUID other than the nil one is expected.`);
  return text;
}

/** Returns the message of a UUID: as two 64-bit numbers if `structured` is true, otherwise as text. */
export function uuidMessage(text: string, structured: boolean): UUID {
  const uuid = new UUID();
  if (!structured) {
    uuid.setString(text);
    return uuid;
  }
  const bits = BigInt(`0x${text.replaceAll('-', '')}`);
  const halves = new UUID.Structured();
  halves.setMostSignificantBits(BigInt.asIntN(64, bits >> 64n).toString());
  halves.setLeastSignificantBits(BigInt.asIntN(64, bits).toString());
  uuid.setStructured(halves);
  return uuid;
}

function uuidFromBits(most: string, least: string): string {
  const hex = [most, least]
    .map((half) => BigInt.asUintN(64, BigInt(half)).toString(16).padStart(16, '0'))
    .join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
