import { Module } from '@nestjs/common';
import { BackupCommand } from './backup/backup.command.js';
import { RestoreCommand } from './backup/restore.command.js';
import { DevCommand } from './dev/dev.command.js';
import { LedgerExplainCommand } from './ledger/explain.command.js';
import { LedgerExportCommand } from './ledger/export.command.js';
import { LedgerCommand } from './ledger/ledger.command.js';
import { LedgerReplayCommand } from './ledger/replay.command.js';
import { LedgerVerifyCommand } from './ledger/verify/verify.command.js';
import { MigrateCommand } from './migrate/migrate.command.js';
import { OpenApiCommand } from './openapi/openapi.command.js';
import { ProjectionsCommand, projectionsSubCommands } from './projections/projections.command.js';
import { StartCommand } from './start/start.command.js';
import { CountinghouseCommand } from './root.command.js';
import { UsageRebuildMetersCommand } from './usage-meters/rebuild-meters.command.js';
import { UsageCommand, UsageImportCommand } from './usage-import/usage.command.js';

/** Every command of the command line. */
@Module({
  providers: [
    BackupCommand,
    CountinghouseCommand,
    DevCommand,
    LedgerCommand,
    LedgerExplainCommand,
    LedgerExportCommand,
    LedgerReplayCommand,
    LedgerVerifyCommand,
    MigrateCommand,
    OpenApiCommand,
    ProjectionsCommand,
    ...projectionsSubCommands,
    RestoreCommand,
    StartCommand,
    UsageCommand,
    UsageImportCommand,
    UsageRebuildMetersCommand,
  ],
})
export class CliModule {}
