import { createHash } from 'node:crypto';
import { idsNamedIn } from '#libs/kernel/core';

/**
 * Returns the text under which the answer to a request is stored in place of its idempotency key. A client can make a key of a name or an
 * address. The text has a space, so it equals no key of a client. It does not depend on `JWT_SECRET`, so that an answer is found, and not
 * given again, after that secret has changed.
 */
export function storedKey(workspaceId: string, scope: string, key: string): string {
  return `sha256 ${digestOf(workspaceId, scope, key).toString('hex')}`;
}

/** Returns the digests of the ids that the query or the body of a request names, without repetitions. */
export function requestIdDigests(workspaceId: string, content: unknown): Buffer[] {
  return [...idsNamedIn(content)].map((id) => idDigest(workspaceId, id));
}

/** Returns the digest (16 bytes) of an id that a request names. */
export function idDigest(workspaceId: string, id: string): Buffer {
  return digestOf(workspaceId, id).subarray(0, 16);
}

/** The SHA-256 of the parts, each with its length, so that ('a', 'bc') and ('ab', 'c') differ. */
function digestOf(...parts: string[]): Buffer {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(`${Buffer.byteLength(part)}:`).update(part);
  return digest.digest();
}
