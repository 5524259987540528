import { Command } from 'nest-commander';
import { loadSettings, requireSetting } from '#libs/core';
import { CliCommand } from '../cli-command.js';

/** `countinghouse migrate`. */
@Command({
  name: 'migrate',
  description: 'Bring the tables of the database at DATABASE_URL up to date; "start" does so by itself.',
})
export class MigrateCommand extends CliCommand {
  override async run(): Promise<void> {
    const databaseUrl = requireSetting(loadSettings(process.env), 'databaseUrl');
    const { migrate } = await import('./migrate.js');
    const names = await migrate(databaseUrl);
    process.stdout.write(
      names.length === 0 ? 'The tables are up to date\n' : names.map((name) => `Ran ${name}\n`).join(''),
    );
  }
}
