import { hashToken, defineTokenFormat } from '../token-format.js';

export const PORTAL_TOKEN_PREFIX = 'portal_';

/** A token has 256 random bits. 43 digits in base 62 can represent 256 bits, because 62^43 is slightly more than 2^256. */
const format = defineTokenFormat({ prefix: PORTAL_TOKEN_PREFIX, bytes: 32, length: 43 });

/**
 * Generates the token of a new portal session. Only the hash of the token ({@link hashPortalToken}) may be stored, so the token cannot be
 * read again.
 */
export const generatePortalToken = (): string => format.generate();

/**
 * Tells whether a text has the form of a portal token and a correct checksum. The check does not look up whether the portal session exists.
 */
export const isWellFormedPortalToken = (text: string): boolean => format.isWellFormed(text);

/** Returns the hash under which a portal token is stored. */
export const hashPortalToken = (token: string): Buffer => hashToken(token);
