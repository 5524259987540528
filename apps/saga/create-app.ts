import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { createLogger, type Settings } from '#libs/kernel/system';
import { NestLogger } from '#libs/kernel/runtime';
import { SagaModule } from './saga.module.js';

/** Starts the saga app. Tests also call this function, to run the saga together with the API. */
export async function createSagaApp(settings: Settings): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(SagaModule.forRoot(settings), {
    logger: new NestLogger(createLogger('saga', settings.logLevel)),
    abortOnError: false,
  });
}
