import { Global, Module } from '@nestjs/common';
import { ReadModels } from './read-models.js';

/** Provides the positions of the read models to code that waits for them. */
@Global()
@Module({ providers: [ReadModels], exports: [ReadModels] })
export class ReadModelsModule {}
