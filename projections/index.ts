import { Global, Module } from '@nestjs/common';
import type { Projection, ReadModelFolder } from '#libs/kernel/projection';
import { discover } from '#libs/manifest';

const folders = discover<ReadModelFolder>('projections', 'read-models').map(({ value }) => value);

/** Every read model. */
export const projections: readonly Projection[] = folders.flatMap((folder) => folder.projections);

const adapters = folders.flatMap((folder) => folder.adapters);

/** Answers from the read models what contexts ask, for the API and the saga. */
@Global()
@Module({ providers: [...adapters], exports: adapters.map(({ provide }) => provide) })
export class ReadModelAdaptersModule {}
