import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { createLogger, type Settings } from '#libs/kernel/system';
import { NestLogger } from '#libs/kernel/runtime';
import { ProjectorModule } from './projector.module.js';

/** Starts the projector. Tests also call this function, to run the projector together with the API. */
export async function createProjectorApp(settings: Settings): Promise<INestApplicationContext> {
  return NestFactory.createApplicationContext(ProjectorModule.forRoot(settings), {
    logger: new NestLogger(createLogger('projector', settings.logLevel)),
    abortOnError: false,
  });
}
