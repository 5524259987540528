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
      'The command backs up the database of MIGRATION_DATABASE_URL or DATABASE_URL. If neither is set, it backs up the instance in',
      'DATA_DIR, whether it runs or not. Requests, billing and webhooks continue during the backup. The file has all data that was',
      'acknowledged before the backup began: events, usage, users, keys, tasks and deliveries. It has no read models, since',
      '"countinghouse restore" rebuilds them.',
      'If the events are in an event store of your own (EVENTSTORE_URL), the file does not have them. Stop the API, the projector and',
      'the saga before the backup, and back up the event store too before you start them again.',
      'If the instance runs with JWT_SECRET, run the command with the same JWT_SECRET. Otherwise the file',
      'can get a key of DATA_DIR that the instance does not use.',
      'The file is not encrypted. It has personal data, the keys that decrypt it, and all secrets except settings. Only its owner can',
      'read it.',
      '',
      'Examples:',
      '  countinghouse backup /backups',
      '  countinghouse backup --verify /backups/countinghouse-20260131T000000Z.tar',
    ].join('\n');
  }
}
