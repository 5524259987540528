import { Global, Module } from '@nestjs/common';
import { ReadModelProgress } from './read-model-progress.js';

/** Provides ReadModelProgress to code that waits until the read models have reached a position. */
@Global()
@Module({ providers: [ReadModelProgress], exports: [ReadModelProgress] })
export class ReadModelsModule {}
