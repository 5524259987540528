import type { Type } from '@nestjs/common';
import type { Projection } from './projection.js';

/** A class that answers from a read model what a context asks by an abstract class of its own. */
export interface Adapter {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-function-type -- An abstract class has no other type.
  readonly provide: Function;
  readonly useClass: Type;
}

/** What a folder of read models gives to the programs: its `<folder>.read-models.ts` exports one by default. */
export interface ReadModelFolder {
  readonly projections: readonly Projection[];
  readonly adapters: readonly Adapter[];
}

/** Declares the read models of a folder. */
export function defineReadModels(folder: ReadModelFolder): ReadModelFolder {
  return folder;
}
