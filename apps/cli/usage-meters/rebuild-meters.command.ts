import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';
import type { RebuildMetersOptions } from './rebuild-meters.js';

/** The command `countinghouse usage rebuild-meters`. */
@Command({
  name: 'rebuild-meters',
  description:
    'Compute all usage meters again from the usage log, next to the live meters, and replace the live ones with the result.',
})
export class UsageRebuildMetersCommand extends CliCommand {
  override async run(
    _: string[],
    { json, verify, ...options }: RebuildMetersOptions & { json?: boolean; verify?: boolean },
  ): Promise<void> {
    const meters = await import('./rebuild-meters.js');
    if (!verify) {
      const rebuilt = await meters.rebuildMeters(options, process.env, process.stderr);
      process.stdout.write(json ? `${JSON.stringify(rebuilt)}\n` : meters.describeMetersRebuild(rebuilt));
      return;
    }
    const verified = await meters.verifyMeters(options, process.env, process.stderr);
    process.stdout.write(
      json ? `${JSON.stringify(verified)}\n` : meters.describeMetersVerification(verified),
    );
    if (verified.differences > 0) process.exitCode = 1;
    const { reportQuarantined } = await import('../events/quarantine.js');
    await reportQuarantined(process.env, json);
  }

  @Option({ flags: '--workspace <id>', description: 'Only the meters of this workspace: acc_…' })
  workspace(value: string): string {
    return value;
  }

  @Option({
    flags: '--verify',
    description:
      'Only compare the result with the live meters, hour by hour. The exit code is 1 if anything differs',
  })
  verify(): boolean {
    return true;
  }

  @Option({ flags: '--drop-old', description: 'Do not keep the replaced meters' })
  dropOld(): boolean {
    return true;
  }

  @Option({
    flags: '--json',
    description: 'Print the result as JSON; the progress goes to the standard error',
  })
  json(): boolean {
    return true;
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'Usage is stored and measured meanwhile. The command can be stopped at any time, even by kill -9: the same command',
      'continues a rebuild, and begins a comparison again. If events cannot be counted, it names the workspace, the event name and',
      'the position in the usage log after which counting failed, leaves that live meter unchanged and exits with 1.',
    ].join('\n');
  }
}
