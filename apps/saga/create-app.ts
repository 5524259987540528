import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import type { Settings } from '#libs/core';
import { SagaModule } from './saga.module.js';

/** The running saga app: also what tests start beside the API. */
export async function createSagaApp(settings: Settings): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(SagaModule.forRoot(settings), {
    logger: ['error', 'warn'],
    abortOnError: false,
  });
}
