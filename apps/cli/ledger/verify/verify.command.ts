import { CliCommand } from '../../cli-command.js';
import { Command, AppendedHelp, Option } from '../../command-decorators.js';
import { parseCount } from '../../parse-count.js';

const SHOWN = 100;

interface Options {
  max?: number;
  workspace?: string;
}

/** The command `countinghouse ledger verify`. */
@Command({
  name: 'verify',
  description:
    'Compute every invoice again, and compare invoices, ledger and audit trail with the events. The command changes nothing. ' +
    'The exit code is 1 if anything differs.',
})
export class LedgerVerifyCommand extends CliCommand {
  override async run(_: string[], { max = SHOWN, workspace }: Options): Promise<void> {
    const { printVerification } = await import('./print-verification.js');
    const isAsItShouldBe = await printVerification({ max, workspaceId: workspace });
    if (!isAsItShouldBe) process.exitCode = 1;
  }

  @Option({
    flags: '--max <n>',
    description: `The maximum number of shown differences; all are counted (default: ${SHOWN})`,
  })
  max(value: string): number {
    return parseCount('--max', value);
  }

  @Option({
    flags: '--workspace <id>',
    description: 'The id of the only workspace to verify: acc_… (default: all workspaces)',
  })
  workspace(value: string): string {
    return value;
  }

  @AppendedHelp()
  moreHelp(): string {
    return [
      '',
      'These are compared with the event store:',
      '  invoices   each invoice of a subscription is computed again from its bills, with the versions of the catalog and the part of',
      '             the usage log that the invoice names; other invoices from their own lines; credit notes and what each invoice',
      "             changed of the customer's balance; and the rows that GET /v1/invoices shows",
      '  ledger     the entries of each invoice and of each accrual of unbilled revenue, the sums of each day, and the closed months',
      '  audit      each entry, the hash chain of all entries, and the anchors of the chain in the event store',
      '',
      'Each difference names the position of its event in the log, or – if it is about no event.',
    ].join('\n');
  }
}
