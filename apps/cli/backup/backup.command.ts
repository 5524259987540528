import { CliCommand } from '../cli-command.js';
import { Command, Help, Option } from '../command-decorators.js';

/** `countinghouse backup`. */
@Command({
  name: 'backup',
  arguments: '[target]',
  description:
    'Write everything that another instance needs to one file, as of one moment, while this one runs. With --verify, check a file.',
  argsDescription: {
    target:
      'the file to make, or the folder to make one in (default: the current folder); with --verify, the file to check',
  },
})
export class BackupCommand extends CliCommand {
  override async run([target]: string[], { verify }: { verify?: boolean }): Promise<void> {
    if (verify) {
      const { describeBackup, verifyBackup } = await import('./verify-backup.js');
      process.stdout.write(describeBackup(await verifyBackup(target, process.stderr)));
      return;
    }
    const { backUp, describeBackedUp } = await import('./backup.js');
    process.stdout.write(describeBackedUp(await backUp(target, process.env, process.stderr)));
  }

  @Option({ flags: '--verify', description: 'Compare a backup with its checksums; needs no instance' })
  verify(): boolean {
    return true;
  }

  @Help()
  what(): string {
    return [
      '',
      'It backs up the instance in DATA_DIR, whether it runs or not, or the database of DATABASE_URL. Requests, billing and',
      'webhooks go on meanwhile. What was acknowledged before it began is in the file: events, usage, users, keys, tasks,',
      'deliveries. The read models are left out, since "countinghouse restore" makes them anew.',
      'The file is not encrypted, and has all secrets and personal data. Its owner alone may read it.',
      '',
      'Examples:',
      '  countinghouse backup /backups',
      '  countinghouse backup --verify /backups/countinghouse-20260131T000000Z.tar',
    ].join('\n');
  }
}
