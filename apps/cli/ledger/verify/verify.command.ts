import { CliCommand } from '../../cli-command.js';
import { Command, Help, Option } from '../../command-decorators.js';
import { parseCount } from '../../parse-count.js';

const SHOWN = 100;

/** `countinghouse ledger verify`. */
@Command({
  name: 'verify',
  description:
    'Compute every issued invoice again, and compare invoices, ledger and audit trail with the events. Changes nothing; ' +
    'exits with 1 if anything differs.',
})
export class LedgerVerifyCommand extends CliCommand {
  override async run(_: string[], { max = SHOWN }: { max?: number }): Promise<void> {
    const { printVerification } = await import('./print-verification.js');
    const isAsItShouldBe = await printVerification(max);
    if (!isAsItShouldBe) process.exitCode = 1;
  }

  @Option({
    flags: '--max <n>',
    description: `Differences that are shown; all are counted (default: ${SHOWN})`,
  })
  max(value: string): number {
    return parseCount('--max', value);
  }

  @Help()
  what(): string {
    return [
      '',
      'Read from the event store, and compared with it:',
      '  invoices   computed again from their bills, the catalog in the versions that they name, and the usage log up to',
      '             where it was read for them; and as GET /v1/invoices shows them',
      '  ledger     the entries that the invoices lead to, and the sums of each day',
      '  audit      every entry, the chain of their hashes, and the anchors of the chain in the event store',
      '',
      'Each difference names the position of its event in the log.',
    ].join('\n');
  }
}
