import { hashToken, tokenFormat } from '../token-format.js';

export const API_KEY_PREFIX = 'svc_';

/** A key has 160 random bits. 27 digits in base 62 have room for them, since 62^27 is slightly more than 2^160. */
const format = tokenFormat({ prefix: API_KEY_PREFIX, bytes: 20, length: 27 });

/** Generates a new key. The key cannot be read again, so store its {@link hashApiKey}. */
export const generateApiKey = (): string => format.generate();

/** Tells whether the text has the form and the checksum of a key. Does not check that the key exists. */
export const isWellFormedApiKey = (text: string): boolean => format.isWellFormed(text);

/** Returns the hash under which a key is stored. */
export const hashApiKey = (key: string): Buffer => hashToken(key);
