import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AggregateStateReader, type Projection, type ReadModelFolder } from '#libs/kernel/projection';
import { discoverFiles } from '#libs/manifest';

const folders = discoverFiles<ReadModelFolder>('projections', 'read-models').map(({ value }) => value);

/** The projections of all read models. */
export const projections: readonly Projection[] = folders.flatMap((folder) => folder.projections);

const adapters = folders.flatMap((folder) => folder.adapters);

const states = {
  provide: AggregateStateReader,
  useFactory: (dataSource: DataSource) => new AggregateStateReader(dataSource, projections),
  inject: [DataSource],
};

/** Provides the classes that read data for the contexts from read models. The API and the saga import this module. */
@Global()
@Module({
  providers: [...adapters, states],
  exports: [...adapters.map(({ provide }) => provide), AggregateStateReader],
})
export class ReadModelAdaptersModule {}
