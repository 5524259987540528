import { hashToken, tokenFormat } from '../token-format.js';

export const PORTAL_TOKEN_PREFIX = 'portal_';

/** A token has 256 random bits. 43 digits in base 62 have room for them, since 62^43 is slightly more than 2^256. */
const format = tokenFormat({ prefix: PORTAL_TOKEN_PREFIX, bytes: 32, length: 43 });

/** Generates the token of a new portal session. The token cannot be read again, so store its {@link hashPortalToken}. */
export const generatePortalToken = (): string => format.generate();

/** Tells whether the text has the form and the checksum of a portal token. Does not check that the session exists. */
export const isWellFormedPortalToken = (text: string): boolean => format.isWellFormed(text);

/** Returns the hash under which a portal token is stored. */
export const hashPortalToken = (token: string): Buffer => hashToken(token);
