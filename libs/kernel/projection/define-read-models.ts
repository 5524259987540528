import type { Type } from '@nestjs/common';
import type { Projection } from './projection.js';

/**
 * A class that answers a context's query from a read model. A query adapter implements an abstract class of the context whose query it
 * answers.
 */
export interface QueryAdapter {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- An abstract class has no other type.
  readonly provide: Function;
  readonly useClass: Type;
}

/** The read models of one folder. `<folder>.read-models.ts` exports this by default. */
export interface ReadModelFolder {
  readonly projections: readonly Projection[];
  readonly adapters: readonly QueryAdapter[];
}

/** Declares the read models of a folder. */
export function defineReadModels(folder: ReadModelFolder): ReadModelFolder {
  return folder;
}
