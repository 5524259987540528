import { CliCommand } from '../cli-command.js';
import { Command, AppendedHelp, Option } from '../command-decorators.js';
import type { PersonalDataKeySource } from '#libs/kernel/event-store';
import { WORKSPACE_OPTION_DESCRIPTION } from './options.js';

interface Options {
  workspace?: string;
  format: string;
  from?: string;
  to?: string;
  out?: string;
}

/** The command `countinghouse ledger export`. */
@Command({
  name: 'export',
  description:
    'Write the books of a workspace to a file for accounting tools, computed only from its events.',
})
export class LedgerExportCommand extends CliCommand {
  override async run(_: string[], { format: name, out, ...options }: Options): Promise<void> {
    const { exportFormatNamed: formatNamed } = await import('./export-format-named.js');
    const { parsePeriod } = await import('./moments.js');
    const format = formatNamed(name);
    const period = parsePeriod(options);
    const { readLedgerExtract: readExtract } = await import('./read-ledger-extract.js');
    const { printPieces: print, writeFileAtomically: writeWhole } = await import('./output.js');
    const { requireWorkspace } = await import('./workspace-log.js');
    const workspace = await requireWorkspace(options.workspace, process.env);
    // All formats but JSON have customers' names, which are personal data.
    const { withPersonalDataKeys } = await import('./personal-data-keys.js');
    const read = (keys?: PersonalDataKeySource) => readExtract({ workspace, ...period }, process.env, keys);
    const extract = await (name !== 'json' ? withPersonalDataKeys(process.env, 'export', read) : read());
    if (extract.futureNotice !== undefined) process.stderr.write(`${extract.futureNotice}\n`);
    if (out === undefined) return print(format(extract));
    await writeWhole(out, format(extract));
    const count = extract.transactions.length.toLocaleString('en');
    process.stderr.write(`${count} transactions written to ${out}\n`);
  }

  @Option({ flags: '--workspace <id>', description: WORKSPACE_OPTION_DESCRIPTION })
  workspace(value: string): string {
    return value;
  }

  @Option({
    flags: '--format <format>',
    description: 'hledger, beancount, csv or json (required)',
    required: true,
  })
  format(value: string): string {
    return value;
  }

  @Option({
    flags: '--from <time>',
    description:
      'The first moment or booking date to include. Opening balances sum up all earlier bookings (default: from the beginning)',
  })
  from(value: string): string {
    return value;
  }

  @Option({
    flags: '--to <time>',
    description:
      'The first moment or booking date to exclude (default: after the last event of a sandbox, after the present of a live workspace)',
  })
  to(value: string): string {
    return value;
  }

  @Option({ flags: '--out <file>', description: 'The file to write (default: the standard output)' })
  out(value: string): string {
    return value;
  }

  @AppendedHelp()
  examples(): string {
    return [
      '',
      'Examples:',
      '  countinghouse ledger export --workspace acc_1 --format hledger --out books.journal',
      '  countinghouse ledger export --workspace acc_1 --format beancount --from 2026-01-01 --to 2027-01-01',
    ].join('\n');
  }
}
