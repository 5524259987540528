import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';
import { CommandGroup } from '../command-group.js';
import type { WalletOptions } from './wallets.js';

abstract class WalletsCommand extends CliCommand {
  @Option({ flags: '--workspace <id>', description: 'Only the wallets of this workspace: acc_…' })
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

/** The command `countinghouse credits verify`. */
@Command({
  name: 'verify',
  description: 'Compare all wallets with their event streams, and every use of credits with the usage log.',
})
export class VerifyWalletsCommand extends WalletsCommand {
  override async run(_: string[], { json, ...options }: WalletOptions & { json?: boolean }): Promise<void> {
    const wallets = await import('./wallets.js');
    const verified = await wallets.verifyWallets(options, process.env, process.stderr);
    process.stdout.write(
      json ? `${JSON.stringify(verified)}\n` : wallets.describeWalletsVerification(verified),
    );
    if (verified.mismatches.length > 0) process.exitCode = 1;
    const { reportQuarantined } = await import('../events/quarantine.js');
    await reportQuarantined(process.env, json);
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'Usage is stored meanwhile. Each wallet is seen at one moment. The exit code is 1 if anything differs.',
      'A difference of a balance is repaired by "countinghouse credits rebuild".',
    ].join('\n');
  }
}

/** The command `countinghouse credits rebuild`. */
@Command({
  name: 'rebuild',
  description: 'Compute the balances of all wallets again from their event streams and the usage log.',
})
export class RebuildWalletsCommand extends WalletsCommand {
  override async run(_: string[], { json, ...options }: WalletOptions & { json?: boolean }): Promise<void> {
    const wallets = await import('./wallets.js');
    const rebuilt = await wallets.rebuildWallets(options, process.env, process.stderr);
    process.stdout.write(json ? `${JSON.stringify(rebuilt)}\n` : wallets.describeWalletsRebuild(rebuilt));
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'Usage is stored meanwhile. Only usage of the wallet that is being computed waits. The command can be stopped at any time.',
    ].join('\n');
  }
}

/** The command `countinghouse credits`, with subcommands to verify and rebuild wallets. */
@Command({
  name: 'credits',
  description: 'Verify and rebuild the balances of prepaid credits.',
  subCommands: [VerifyWalletsCommand, RebuildWalletsCommand],
})
export class CreditsCommand extends CommandGroup {}
