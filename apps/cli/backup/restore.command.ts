import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp } from '../command-decorators.js';

/** The command `countinghouse restore`. */
@Command({
  name: 'restore',
  arguments: '<file>',
  description:
    'Restore a backup into an empty DATA_DIR or an empty database, and verify its ledger. The exit code is 1 if anything differs.',
  argsDescription: { file: 'a file that "countinghouse backup" has made' },
})
export class RestoreCommand extends CliCommand {
  override async run([file]: string[]): Promise<void> {
    const { restoreAndVerify } = await import('./restore.js');
    const isAsItShouldBe = await restoreAndVerify(file!, process.env, process.stderr);
    if (!isAsItShouldBe) process.exitCode = 1;
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'The whole file is checked before anything is written. A backup of an older program is migrated. A backup of a newer program',
      'is refused. If the restore is interrupted while it restores rows, no program starts on the target. Run the same command again: it',
      'starts from the beginning. If it is interrupted while it makes the read models, the same command goes on with them.',
      'Stop the old instance before you start the restored one. Otherwise both bill and send webhooks.',
      '',
      'Examples:',
      '  DATA_DIR=.data-new countinghouse restore /backups/countinghouse-20260131T000000Z.tar',
      '  DATABASE_URL=postgres://… countinghouse restore /backups/countinghouse-20260131T000000Z.tar',
    ].join('\n');
  }
}
