import { CliCommand } from '../cli-command.js';
import { Command, Help, Option } from '../command-decorators.js';
import type { MetersOptions } from './rebuild-meters.js';

/** `countinghouse usage rebuild-meters`. */
@Command({
  name: 'rebuild-meters',
  description:
    'Fold the usage log anew into every meter, beside those that are measured by, and put the result in their place.',
})
export class UsageRebuildMetersCommand extends CliCommand {
  override async run(
    _: string[],
    { json, verify, ...options }: MetersOptions & { json?: boolean; verify?: boolean },
  ): Promise<void> {
    const meters = await import('./rebuild-meters.js');
    if (!verify) {
      const rebuilt = await meters.rebuildMeters(options, process.env, process.stderr);
      process.stdout.write(json ? `${JSON.stringify(rebuilt)}\n` : meters.describeRebuilt(rebuilt));
      return;
    }
    const verified = await meters.verifyMeters(options, process.env, process.stderr);
    process.stdout.write(json ? `${JSON.stringify(verified)}\n` : meters.describeVerified(verified));
    if (verified.differences > 0) process.exitCode = 1;
  }

  @Option({ flags: '--workspace <id>', description: 'Only the meters of this workspace: acc_…' })
  workspace(value: string): string {
    return value;
  }

  @Option({
    flags: '--verify',
    description: 'Only compare them with what is measured by, hour by hour; exits with 1 if anything differs',
  })
  verify(): boolean {
    return true;
  }

  @Option({ flags: '--drop-old', description: 'Do not keep what was measured by before' })
  dropOld(): boolean {
    return true;
  }

  @Option({
    flags: '--json',
    description: 'Print what came of it as JSON; progress goes to the standard error',
  })
  json(): boolean {
    return true;
  }

  @Help()
  what(): string {
    return [
      '',
      'Usage is taken in and measured meanwhile. It can be ended at any time, also by kill -9: the same command goes on from',
      'where it was. When events cannot be folded it says which, changes no meter that is measured by, and exits with 1.',
    ].join('\n');
  }
}
