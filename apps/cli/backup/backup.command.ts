import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';

/** The command `countinghouse backup`. */
@Command({
  name: 'backup',
  arguments: '[target]',
  description:
    'Back up a running instance, as of one moment, to one file. With --verify, check an existing file.',
  argsDescription: {
    target:
      'the new file, or the folder for it (default: the current folder); with --verify, the file to check',
  },
})
export class BackupCommand extends CliCommand {
  override async run([target]: string[], { verify }: { verify?: boolean }): Promise<void> {
    if (verify) {
      const { describeBackup, verifyBackup } = await import('./verify-backup.js');
      process.stdout.write(describeBackup(await verifyBackup(target, process.stderr)));
      return;
    }
    const { backUp, describeFinishedBackup: describeBackedUp } = await import('./backup.js');
    process.stdout.write(describeBackedUp(await backUp(target, process.env, process.stderr)));
  }

  @Option({ flags: '--verify', description: 'Compare a backup with its checksums; needs no instance' })
  verify(): boolean {
    return true;
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'The command backs up the instance in DATA_DIR, whether it runs or not, or the database of DATABASE_URL. Requests, billing',
      'and webhooks continue during the backup. The file has all data that was acknowledged before the backup began: events,',
      'usage, users, keys, tasks and deliveries. It has no read models, since "countinghouse restore" rebuilds them.',
      'The file is not encrypted, and has all secrets and personal data. Only its owner can read it.',
      '',
      'Examples:',
      '  countinghouse backup /backups',
      '  countinghouse backup --verify /backups/countinghouse-20260131T000000Z.tar',
    ].join('\n');
  }
}
