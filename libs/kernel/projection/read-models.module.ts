import { Global, Module } from '@nestjs/common';
import { ReadModels } from './read-models.js';

/** Provides ReadModels to code that waits until the read models have reached a position. */
@Global()
@Module({ providers: [ReadModels], exports: [ReadModels] })
export class ReadModelsModule {}
