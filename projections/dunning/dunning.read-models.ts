import { DunningRecordReader } from '#libs/contexts/dunning';
import { defineReadModels } from '#libs/kernel/projection';
import { ReadModelDunningRecordReader } from './read-model-dunning-record-reader.js';
import { dunningProjection } from './dunning.projection.js';

export default defineReadModels({
  projections: [dunningProjection],
  adapters: [{ provide: DunningRecordReader, useClass: ReadModelDunningRecordReader }],
});
