import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';
import { WORKSPACE_OPTION_DESCRIPTION } from './options.js';

/** The command `countinghouse ledger replay`. */
@Command({
  name: 'replay',
  description:
    'Show the balances of accounts and wallets of a workspace at any moment, made from its events.',
})
export class LedgerReplayCommand extends CliCommand {
  override async run(
    _: string[],
    { until, ...options }: { workspace?: string; until?: string; customer?: string },
  ): Promise<void> {
    const { parseUntilOption } = await import('./moments.js');
    const moment = until === undefined ? {} : { until: parseUntilOption(until) };
    const { replayLedger } = await import('./replay.js');
    const { requireWorkspace } = await import('./workspace-log.js');
    const workspace = await requireWorkspace(options.workspace, process.env);
    process.stdout.write(await replayLedger({ ...options, ...moment, workspace }, process.env));
  }

  @Option({ flags: '--workspace <id>', description: WORKSPACE_OPTION_DESCRIPTION })
  workspace(value: string): string {
    return value;
  }

  @Option({
    flags: '--until <moment>',
    description:
      "The last moment to include: a time by the workspace's clock, a booking date, or a position in the event log",
  })
  until(value: string): string {
    return value;
  }

  @Option({ flags: '--customer <id>', description: 'Show only the postings and wallets of this customer' })
  customer(value: string): string {
    return value;
  }

  @AppendedHelp()
  examples(): string {
    return [
      '',
      'Each wallet is shown with the last balance that the API gave by that moment. Usage counts from its arrival on, which the',
      'database has (DATABASE_URL). Without a database it counts from its event on, up to about a second later.',
      '',
      'Examples:',
      '  countinghouse ledger replay --workspace acc_1',
      '  countinghouse ledger replay --workspace acc_1 --until 2026-01-31T23:59:59.999Z --customer northwind',
      '  countinghouse ledger replay --workspace acc_1 --until 4711',
    ].join('\n');
  }
}
