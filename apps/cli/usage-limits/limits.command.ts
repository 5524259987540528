import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';
import { CommandGroup } from '../command-group.js';
import type { LimitOptions } from './limits.js';

abstract class UsageLimitsCommand extends CliCommand {
  @Option({ flags: '--workspace <id>', description: 'Only the limits of this workspace: acc_…' })
  workspace(value: string): string {
    return value;
  }

  @Option({
    flags: '--json',
    description: 'Print the result as JSON; the progress goes to the standard error',
  })
  json(): boolean {
    return true;
  }
}

/** The command `countinghouse limits verify`. */
@Command({
  name: 'verify',
  description: 'Compare all usage limits with their event streams, and their counters with the usage log.',
})
export class VerifyLimitsCommand extends UsageLimitsCommand {
  override async run(_: string[], { json, ...options }: LimitOptions & { json?: boolean }): Promise<void> {
    const limits = await import('./limits.js');
    const verified = await limits.verifyUsageLimits(options, process.env, process.stderr);
    process.stdout.write(
      json ? `${JSON.stringify(verified)}\n` : limits.describeLimitsVerification(verified),
    );
    if (verified.differences.length > 0) process.exitCode = 1;
    const { reportQuarantined } = await import('../events/quarantine.js');
    await reportQuarantined(process.env, json);
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'Usage is stored meanwhile. Each counter is seen at one moment. The exit code is 1 if anything differs.',
      'A difference is repaired by "countinghouse limits rebuild".',
    ].join('\n');
  }
}

/** The command `countinghouse limits rebuild`. */
@Command({
  name: 'rebuild',
  description: 'Rebuild all usage limits from their event streams, and count the usage against them again.',
})
export class RebuildLimitsCommand extends UsageLimitsCommand {
  override async run(_: string[], { json, ...options }: LimitOptions & { json?: boolean }): Promise<void> {
    const limits = await import('./limits.js');
    const rebuilt = await limits.rebuildLimits(options, process.env, process.stderr);
    process.stdout.write(json ? `${JSON.stringify(rebuilt)}\n` : limits.describeLimitsRebuild(rebuilt));
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'Usage is stored meanwhile. Each counter is counted from the usage log before its next use. The command can be stopped at any time.',
    ].join('\n');
  }
}

/** The command `countinghouse limits`, with subcommands to verify and rebuild usage limits. */
@Command({
  name: 'limits',
  description: 'Verify and rebuild usage limits and their counters.',
  subCommands: [VerifyLimitsCommand, RebuildLimitsCommand],
})
export class LimitsCommand extends CommandGroup {}
