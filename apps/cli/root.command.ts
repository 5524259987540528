import { BackupCommand } from './backup/backup.command.js';
import { RestoreCommand } from './backup/restore.command.js';
import { CliCommand } from './cli-command.js';
import { CliError } from './cli-error.js';
import { Command } from './command-decorators.js';
import { CreditsCommand } from './credits/credits.command.js';
import { DevCommand } from './dev/dev.command.js';
import { EventsCommand } from './events/events.command.js';
import { LedgerCommand } from './ledger/ledger.command.js';
import { MailCommand } from './mail/mail.command.js';
import { MigrateCommand } from './migrate/migrate.command.js';
import { OpenApiCommand } from './openapi/openapi.command.js';
import { ProjectionsCommand } from './projections/projections.command.js';
import { StartCommand } from './start/start.command.js';
import { LimitsCommand } from './usage-limits/limits.command.js';
import { UsageCommand } from './usage-import/usage.command.js';

/**
 * The root command `countinghouse`, which has all other commands as subcommands. Without a subcommand, the root command prints the help.
 */
@Command({
  name: 'countinghouse',
  description: 'Countinghouse, an event-sourced, usage-based billing engine.',
  subCommands: [
    BackupCommand,
    CreditsCommand,
    DevCommand,
    EventsCommand,
    LedgerCommand,
    LimitsCommand,
    MailCommand,
    MigrateCommand,
    OpenApiCommand,
    ProjectionsCommand,
    RestoreCommand,
    StartCommand,
    UsageCommand,
  ],
})
export class CountinghouseCommand extends CliCommand {
  override readonly acceptsExtraArguments = true;

  override async run([unknown]: string[]): Promise<void> {
    if (unknown !== undefined)
      throw new CliError(`There is no command "${unknown}"; "countinghouse --help" lists all commands`);
    this.command.outputHelp();
  }
}
