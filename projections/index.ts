import { Global, Module } from '@nestjs/common';
import type { Projection, ReadModelFolder } from '#libs/kernel/projection';
import { discoverFiles } from '#libs/manifest';

const folders = discoverFiles<ReadModelFolder>('projections', 'read-models').map(({ value }) => value);

/** The projections of all read models. */
export const projections: readonly Projection[] = folders.flatMap((folder) => folder.projections);

const adapters = folders.flatMap((folder) => folder.adapters);

/** Provides the classes that answer questions of the contexts from read models. The API and the saga use it. */
@Global()
@Module({ providers: [...adapters], exports: adapters.map(({ provide }) => provide) })
export class ReadModelAdaptersModule {}
