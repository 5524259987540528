import { Global, Module } from '@nestjs/common';
import { ReadModels } from './read-models.js';

/** How far the read models have come, for whoever waits for them. */
@Global()
@Module({ providers: [ReadModels], exports: [ReadModels] })
export class ReadModelsModule {}
