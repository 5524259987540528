import type { Type } from '@nestjs/common';
import type { Projection } from './projection.js';

/** Binds a query of a context to the class that answers the query from a read model. */
export interface QueryBinding {
  /** The abstract class with which the context declares the query. */
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- An abstract class has no other type.
  readonly provide: Function;
  /** The subclass that reads the read model. */
  readonly useClass: Type;
}

/** The read models of one folder. `<folder>.read-models.ts` exports this by default. */
export interface ReadModelFolder {
  readonly projections: readonly Projection[];
  readonly adapters: readonly QueryBinding[];
}

/** Declares the read models of a folder. */
export function defineReadModels(folder: ReadModelFolder): ReadModelFolder {
  return folder;
}
