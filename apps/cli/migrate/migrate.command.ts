import { CliCommand } from '../cli-command.js';
import { Command } from '../command-decorators.js';

/** `countinghouse migrate`. */
@Command({
  name: 'migrate',
  description:
    'Bring the tables of the database up to date, and the rights of the roles that the processes have; "start" does so by itself.',
})
export class MigrateCommand extends CliCommand {
  override async run(): Promise<void> {
    const { loadSettings, requireSetting } = await import('#libs/kernel/system');
    const settings = loadSettings(process.env);
    const databaseUrl = settings.migrationDatabaseUrl ?? requireSetting(settings, 'databaseUrl');
    const { migrate } = await import('./migrate.js');
    const { names, rolesObstacle } = await migrate(databaseUrl);
    process.stdout.write(
      names.length === 0 ? 'The tables are up to date\n' : names.map((name) => `Ran ${name}\n`).join(''),
    );
    if (rolesObstacle !== undefined)
      process.stdout.write(
        `All processes need the database user that migrates, which may make no roles for them (${rolesObstacle}); see docs/database-roles.md\n`,
      );
  }
}
