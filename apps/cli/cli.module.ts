import { Module } from '@nestjs/common';
import { MigrateCommand } from './migrate/migrate.command.js';
import { StartCommand } from './start/start.command.js';
import { CountinghouseCommand } from './root.command.js';

/** Every command of the command line. */
@Module({ providers: [CountinghouseCommand, MigrateCommand, StartCommand] })
export class CliModule {}
