import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';
import { WORKSPACE_OPTION_DESCRIPTION } from './options.js';

/** The command `countinghouse ledger explain <subject>`. */
@Command({
  name: 'explain',
  arguments: '<subject>',
  description:
    'Show each event that led to a balance, with its time, its author and the balance after it. For an invoice, show its lines first.',
  argsDescription: {
    subject:
      'an invoice or a credit note (inv_…, cn_…, or its number), or an account: cash, accounts_receivable, revenue, ' +
      'revenue:price_…',
  },
})
export class LedgerExplainCommand extends CliCommand {
  override async run([subject]: string[], options: { workspace?: string; customer?: string }): Promise<void> {
    const { explain } = await import('./explain.js');
    const { printPieces: print } = await import('./output.js');
    const { requireWorkspace } = await import('./workspace-log.js');
    const workspace = await requireWorkspace(options.workspace, process.env);
    const { withPersonalDataKeys } = await import('./personal-data-keys.js');
    const asked = { ...options, workspace, subject: subject! };
    await print(
      await withPersonalDataKeys(process.env, 'explain', async (keys) => explain(asked, process.env, keys)),
    );
  }

  @Option({ flags: '--workspace <id>', description: WORKSPACE_OPTION_DESCRIPTION })
  workspace(value: string): string {
    return value;
  }

  @Option({ flags: '--customer <id>', description: 'Show only the postings of this customer' })
  customer(value: string): string {
    return value;
  }

  @AppendedHelp()
  examples(): string {
    return [
      '',
      'Examples:',
      '  countinghouse ledger explain inv_1 --workspace acc_1',
      '  countinghouse ledger explain INV-000042 --workspace acc_1',
      '  countinghouse ledger explain CN-000007 --workspace acc_1',
      '  countinghouse ledger explain accounts_receivable --workspace acc_1 --customer northwind',
      '  countinghouse ledger explain revenue:price_1 --workspace acc_1',
    ].join('\n');
  }
}
