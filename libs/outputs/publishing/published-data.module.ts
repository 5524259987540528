import { Module } from '@nestjs/common';
import { PublishedMessagesEraser } from './published-messages-eraser.js';

/** Erases published messages. The saga process always loads this module. Without NATS, {@link PublishedMessagesEraser} does nothing. */
@Module({ providers: [PublishedMessagesEraser], exports: [PublishedMessagesEraser] })
export class PublishedDataModule {}
