import { describe, it } from '@jest/globals';
import { isEmbedded } from './store-process.js';

/** A test of what only the embedded node has, such as its tables in Postgres: skipped where another store is tested with. */
export const itOfNode = isEmbedded ? it : it.skip;

/** Likewise for several. */
export const describeOfNode = isEmbedded ? describe : describe.skip;
