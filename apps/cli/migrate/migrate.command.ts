import { CliCommand } from '../cli-command.js';
import { Command } from '../command-decorators.js';

/** The command `countinghouse migrate`. */
@Command({
  name: 'migrate',
  description:
    'Bring the tables of the database and the rights of the database roles up to date. "start" does this by itself.',
})
export class MigrateCommand extends CliCommand {
  override async run(): Promise<void> {
    const { loadSettings, requireSetting } = await import('#libs/kernel/system');
    const settings = loadSettings(process.env);
    const databaseUrl = settings.migrationDatabaseUrl ?? requireSetting(settings, 'databaseUrl');
    const { migrateAndGrantRights } = await import('./migrate.js');
    const { names, roleCreationError } = await migrateAndGrantRights(databaseUrl);
    process.stdout.write(
      names.length === 0 ? 'The tables are up to date\n' : names.map((name) => `Ran ${name}\n`).join(''),
    );
    if (roleCreationError !== undefined)
      process.stdout.write(
        `This database user may not create roles (${roleCreationError}), so all processes must connect as this user; see docs/database-roles.md\n`,
      );
  }
}
