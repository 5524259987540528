import { CliCommand } from '../cli-command.js';
import { Command, Help } from '../command-decorators.js';

/** `countinghouse restore`. */
@Command({
  name: 'restore',
  arguments: '<file>',
  description:
    'Make an instance of a backup, in an empty DATA_DIR or an empty database, and verify its ledger; exits with 1 if anything differs.',
  argsDescription: { file: 'a file that "countinghouse backup" has made' },
})
export class RestoreCommand extends CliCommand {
  override async run([file]: string[]): Promise<void> {
    const { restore } = await import('./restore.js');
    const isAsItShouldBe = await restore(file!, process.env, process.stderr);
    if (!isAsItShouldBe) process.exitCode = 1;
  }

  @Help()
  what(): string {
    return [
      '',
      'All of the file is checked before anything is written. What is older than this program is migrated, what is newer is',
      'refused. A restore that was ended half-way leaves a mark: nothing starts on it, and the same command begins anew.',
      'Stop the instance that the backup was made of before you start the new one: both would bill and send webhooks.',
      '',
      'Examples:',
      '  DATA_DIR=.data-new countinghouse restore /backups/countinghouse-20260131T000000Z.tar',
      '  DATABASE_URL=postgres://… countinghouse restore /backups/countinghouse-20260131T000000Z.tar',
    ].join('\n');
  }
}
