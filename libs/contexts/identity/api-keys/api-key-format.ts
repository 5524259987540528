import { hashToken, defineTokenFormat } from '../token-format.js';

export const API_KEY_PREFIX = 'svc_';

/** A key has 160 random bits. 27 digits in base 62 can represent 160 bits, because 62^27 is slightly more than 2^160. */
const format = defineTokenFormat({ prefix: API_KEY_PREFIX, bytes: 20, length: 27 });

/** Generates a new key. Only the hash of the key ({@link hashApiKey}) may be stored, so the key cannot be read again. */
export const generateApiKey = (): string => format.generate();

/** Tells whether a text has the form of an API key and a correct checksum. The check does not look up whether the API key exists. */
export const isWellFormedApiKey = (text: string): boolean => format.isWellFormed(text);

/** Returns the hash under which a key is stored. */
export const hashApiKey = (key: string): Buffer => hashToken(key);
